/** The memory of one step as a picture: arrays above, processors with arrows in the middle, earlier states below. */
import type { Run } from '../../run';
import type { Conflict } from '../../types';
import { grid, type Part } from './grid';
import { arrows, distinct, ownRows, POINTED, processors, touchedCells, type Anchor, type Anchors } from './processors';
import { LINKS, ROW, rows } from './rows';
import { GUTTER, READABLE, leftOf, type Columns } from './shapes';
import { strip } from './strip';

/** The part of all cells that is shown, as shares of columns (x) and of matrices' rows (y). */
export interface Window { x: number; width: number; y: number; height: number }
export const WHOLE: Window = { x: 0, width: 1, y: 0, height: 1 };

export interface Choice {
  /** Variables by number. */
  arrays: Set<number>;
  /** The array whose earlier states are shown; -1: none. */
  row: number;
  /** Whether they are shown alone, as many as fit. */
  flow: boolean;
  /** The processors' own variables. */
  own: boolean;
  window: Window;
}

/** All arrays if they are few; else those that the program writes first. */
export function firstChoice(run: Run): Choice {
  const arrays = run.summary.variables.map((v, i) => ({ v, i })).filter(({ v }) => v.extents.length > 0);
  const rank = ({ v }: (typeof arrays)[number]) => ['output', 'inout', 'shared', 'input'].indexOf(v.role);
  const lists = arrays.filter(({ v }) => v.extents.length === 1);
  const busiest = [...lists].sort((a, b) => run.changes[b.i].length - run.changes[a.i].length);
  const conflict = run.summary.end.kind === 'error' ? run.summary.end.conflict : null;
  return { arrays: new Set([...arrays].sort((a, b) => rank(a) - rank(b)).slice(0, 4).map(({ i }) => i).concat(conflict ? [conflict.variable] : [])), row: busiest[0]?.i ?? -1, flow: false, own: true, window: { ...WHOLE } };
}

/** States of a larger array would take longer than a frame. */
const LARGE = 200_000;
const MOST_OF_LARGE = 2;

const pitchOf = ({ width }: Columns): number => (width >= READABLE ? ROW + 1 + LINKS : 11);

/** The states of one array alone: the tree of a scan, the network of a sort. */
function flow(run: Run, choice: Choice, width: number, height: number): string {
  const v = run.summary.variables[choice.row];
  const plot = width - GUTTER - 8;
  const [lo, count] = span(choice.window.x, choice.window.width, Math.max(1, v.extents[0]));
  const columns: Columns = { lo, hi: lo + count, width: Math.min(84, plot / count), plot };
  const bars = 50;
  const most = Math.max(2, Math.min(Math.floor((height - bars - 60) / pitchOf(columns)), run.changes[choice.row].length + 1));
  const changed = run.position > 0 && !run.atFailure ? run.marksOf(run.position, choice.row) : undefined;
  const drawn = rows(run, choice.row, most, bars + 62, columns);
  return `<svg class="picture memory" width="${width}" height="${bars + 62 + drawn.height}" role="img" aria-label="States of ${v.name} up to step ${run.position}">${
    strip(v, run.variables[choice.row], 8, bars, columns, changed, -1)}${drawn.svg}</svg>`;
}

/** From whole cells to whole cells. */
function span(start: number, share: number, count: number): [number, number] {
  const size = Math.max(1, Math.min(count, Math.round(share * count)));
  const first = Math.max(0, Math.min(count - size, Math.round(start * count)));
  return [first, size];
}

export function picture(run: Run, choice: Choice, width: number, height: number): string {
  if (choice.flow && choice.row >= 0) return flow(run, choice, width, height);
  const { variables } = run.summary;
  const k = run.position;
  const step = k === 0 ? null : run.step(k);
  const plot = width - GUTTER - 8;
  const arrays = variables.map((v, i) => ({ v, i })).filter(({ i, v }) => choice.arrays.has(i) && v.extents.length > 0);
  const lists = arrays.filter(({ v }) => v.extents.length === 1);
  const grids = arrays.filter(({ v }) => v.extents.length === 2);
  const longest = Math.max(1, ...lists.map(({ v }) => v.extents[0]));
  // Sizes are those of the whole run, so that nothing jumps from step to step.
  const [lo, count] = span(choice.window.x, choice.window.width, Math.max(longest, run.mostProcessors(2 * longest)));
  const columns: Columns = { lo, hi: lo + count, width: Math.min(84, plot / count), plot };
  // Processors stand below the cells of their number, where they are about as many.
  const present = step?.processors ?? 1;
  const own = present <= 2 * longest ? columns : { lo: 0, hi: present, width: Math.min(84, plot / present), plot };
  const accesses = k === 0 ? [] : distinct(run.accessesOf(k));
  const changed = (variable: number) => (k > 0 && !run.atFailure ? run.marksOf(k, variable) : undefined);
  const conflict: Conflict | null = run.atFailure && run.summary.end.kind === 'error' ? run.summary.end.conflict : null;
  const bad = (variable: number) => (conflict?.variable === variable ? conflict.cell : -1);

  const history = choice.row < 0 ? -1 : lists.some(({ i }) => i === choice.row) ? choice.row : lists[0]?.i ?? -1;
  const pitch = pitchOf(columns);
  const gridSpace = grids.length > 0 ? (lists.length > 0 ? Math.min(height * 0.45, 420) : height - 140) : 0;
  const ownCount = choice.own ? ownRows(run, own.width) : 0;
  const processorSpace = 82 + ownCount * 17;
  const room = Math.floor((height - gridSpace - processorSpace - lists.length * 74) / pitch) - 1;
  const states = history < 0 ? 0 : Math.max(2, Math.min(longest > LARGE ? MOST_OF_LARGE : 9, room, run.changes[history].length + 1));
  const fixed = gridSpace + processorSpace + (states > 0 ? states * pitch + 26 : 0) + lists.length * 40;
  const bars = Math.max(30, Math.min(170, (height - fixed) / Math.max(1, lists.length)));
  const touched = touchedCells(accesses);

  const anchors: Anchors = new Map();
  const parts: string[] = [];
  let y = 8;
  for (const { v, i } of lists) {
    parts.push(strip(v, run.variables[i], y, bars, columns, changed(i), bad(i)));
    const bottom = y + bars + 32;
    anchors.set(i, (cell) => (cell < columns.lo || cell >= columns.hi ? null : { x: leftOf(columns, cell + 0.5), y: bottom - 10 }));
    y = bottom + 8;
  }
  if (grids.length > 0) {
    const share = width / grids.length;
    let used = 0;
    grids.forEach(({ v, i }, at) => {
      const [row, rowCount] = span(choice.window.y, choice.window.height, v.extents[0]);
      const [column, columnCount] = span(choice.window.x, choice.window.width, v.extents[1]);
      const part: Part = { row, rows: rowCount, column, columns: columnCount };
      const side = Math.min(56, (share - 44) / columnCount, (gridSpace - 40) / rowCount);
      const [left, top] = [at * share, y];
      parts.push(grid(v, run.variables[i], part, left, top, { width: side, height: side }, changed(i), bad(i), (cell) => touched.get(`${i} ${cell}`) ?? ''));
      anchors.set(i, (cell) => {
        const [r, c] = [Math.floor(cell / v.extents[1]) - row, (cell % v.extents[1]) - column];
        return r < 0 || c < 0 || r >= rowCount || c >= columnCount ? null : { x: left + 30 + (c + 0.5) * side, y: top + 26 + (r + 0.75) * side };
      });
      used = Math.max(used, rowCount * side + 44);
    });
    y += used;
  }
  const processorsY = y + 50;
  if (step) {
    const middle = (p: number): Anchor | null => (p < own.lo || p >= own.hi ? null : { x: leftOf(own, p + 0.5), y: processorsY });
    // Arrows lie below the cells, so that values stay readable.
    parts.unshift(arrows(accesses, anchors, middle, conflict, own.width < POINTED));
    const drawn = processors(run, processorsY, own, ownCount, conflict?.processors);
    parts.push(drawn.svg);
    y = processorsY + Math.max(drawn.height, 24 + ownCount * 17);
  } else {
    y = processorsY + 24 + ownCount * 17;
  }
  if (states > 0) {
    const drawn = rows(run, history, states, y + 14, columns);
    parts.push(drawn.svg);
    y += drawn.height;
  }
  const label = step ? `Memory after step ${k}` : 'Memory before the first step';
  return `<svg class="picture memory" width="${width}" height="${Math.ceil(y + 6)}" role="img" aria-label="${label}">${parts.join('')}</svg>`;
}
