/** An array of two dimensions: a heat map, with values where its cells are large enough. */
import { escape } from '../../dom';
import { numbersOf, text, type Marks } from '../../run';
import type { Variable } from '../../types';
import { bucket } from './scale';
import { box, fitted, paths } from './shapes';

/** A picture has at most as many rows and columns; each shows the greatest of its cells. */
const MOST = 100;

/** The part of the matrix that is shown. */
export interface Part { row: number; rows: number; column: number; columns: number }

export function grid(v: Variable, words: BigInt64Array, part: Part, left: number, top: number, side: { width: number; height: number },
                     changed: Marks | undefined, bad: number, use: (cell: number) => string): string {
  const columns = v.extents[1];
  const value = numbersOf(v.type, words);
  let most = 1e-300;
  for (let i = 0; i < words.length; ++i) {
    const size = Math.abs(value(i));
    if (size > most && size !== Infinity) most = size;
  }
  const whole = part.rows === v.extents[0] && part.columns === columns;
  const name = whole ? `${v.role} [${v.extents.join(', ')}]` : `rows ${part.row}–${part.row + part.rows - 1}, columns ${part.column}–${part.column + part.columns - 1}`;
  const parts = [`<text class="label" x="${left + 2}" y="${top + 10}">${escape(v.name)} <tspan class="faint">${name}</tspan></text>`];
  const [shownRows, shownColumns] = [Math.min(part.rows, MOST), Math.min(part.columns, MOST)];
  const w = (side.width * part.columns) / Math.max(1, shownColumns);
  const h = (side.height * part.rows) / Math.max(1, shownRows);
  const gap = w < 6 ? 0 : 1;
  const each = shownRows === part.rows && shownColumns === part.columns;
  const shapes = new Map<string, string>();
  const texts: string[] = [];
  for (let r = 0; r < shownRows; ++r) {
    const [r0, r1] = bucket(r, shownRows, part.rows);
    for (let c = 0; c < shownColumns; ++c) {
      const [c0, c1] = bucket(c, shownColumns, part.columns);
      let greatest = -Infinity;
      let kind = '';
      for (let i = part.row + r0; i < part.row + r1; ++i) {
        for (let j = part.column + c0; j < part.column + c1; ++j) {
          const cell = i * columns + j;
          greatest = Math.max(greatest, value(cell));
          if (bad === cell) kind = ' bad';
          else if (kind === '' && changed?.has(cell)) kind = ' changed';
        }
      }
      const [x, y] = [left + 30 + c * w, top + 26 + r * h];
      const at = box(x, y, Math.max(0.5, w - gap), Math.max(0.5, h - gap));
      const shade = Number.isFinite(greatest) && greatest !== 0 ? 0.1 + Math.round((5 * Math.abs(greatest)) / most) / 10 : 0;
      const add = (attributes: string) => shapes.set(attributes, (shapes.get(attributes) ?? '') + at);
      if (gap > 0 || kind !== '') add(`class="cell${kind}"`);
      if (shade > 0 && kind === '') add(`fill="var(${greatest < 0 ? '--write' : '--accent'})" fill-opacity="${shade.toFixed(1)}"`);
      if (!each || w < 17 || h < 12) continue;
      const cell = (part.row + r) * columns + part.column + c;
      texts.push(fitted(v.type === 'bool' ? (words[cell] !== 0n ? '1' : '0') : text(v.type, words[cell], 3), x + w / 2 - 0.5, y + h / 2 + 4, w - 3, v.name, cell));
      const used = use(cell);
      if (used.includes('r')) texts.push(`<path class="head read" d="M${x.toFixed(1)} ${y.toFixed(1)}h7l-7 7z"/>`);
      if (used.includes('w')) texts.push(`<path class="head write" d="M${(x + w - 1).toFixed(1)} ${y.toFixed(1)}h-7l7 7z"/>`);
    }
  }
  // Borders lie below the shades.
  const ordered = new Map([...shapes].sort(([a], [b]) => Number(b.startsWith('class')) - Number(a.startsWith('class'))));
  parts.push(...paths(ordered), ...texts);
  if (gap === 0) parts.push(`<rect class="frame" x="${left + 30}" y="${top + 26}" width="${(w * shownColumns).toFixed(1)}" height="${(h * shownRows).toFixed(1)}"/>`);
  const every = (size: number, room: number) => Math.max(1, Math.ceil(room / size));
  for (let r = 0; each && r < part.rows; r += every(h, 12)) parts.push(`<text class="faint" text-anchor="end" x="${left + 26}" y="${(top + 26 + (r + 0.5) * h + 4).toFixed(1)}">${part.row + r}</text>`);
  for (let c = 0; each && c < part.columns; c += every(w, 24)) parts.push(`<text class="faint" text-anchor="middle" x="${(left + 30 + (c + 0.5) * w).toFixed(1)}" y="${top + 22}">${part.column + c}</text>`);
  return `<g data-variable="${escape(v.name)}">${parts.join('')}</g>`;
}
