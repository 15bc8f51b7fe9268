/** Earlier states of one array, each a row, with lines from where the values came. */
import { escape } from '../../dom';
import { numbersOf, text, type Run } from '../../run';
import { linksOf, ranks, runLength } from './flow';
import { bucket, scaleOf } from './scale';
import { box, fitted, GUTTER, leftOf, paths, READABLE, type Columns } from './shapes';

const MOST_LINKS = 300;
export const ROW = 20;
/** Room for lines between two rows. */
export const LINKS = 20;

export function rows(run: Run, variable: number, most: number, top: number, columns: Columns): { svg: string; height: number } {
  const v = run.summary.variables[variable];
  const states = run.history(variable, most);
  const readable = columns.width >= READABLE;
  const { links, rearranged } = readable ? linksOf(run, variable, states) : { links: [], rearranged: false };
  const linked = links.some((list) => list.length > 0 && list.length <= MOST_LINKS);
  const pitch = readable ? ROW + 1 + (linked ? LINKS : 0) : 11;
  const parts = [`<text class="faint" x="2" y="${top}">Earlier states of ${escape(v.name)}; the lowest row is the current one</text>`];
  states.forEach(({ step, cells, changed }, r) => {
    const y = top + 8 + r * pitch;
    parts.push(`<text class="faint" x="2" y="${(y + (readable ? ROW : 11) / 2 + 2.5).toFixed(1)}">${step === 0 ? 'start' : `step ${step}`}</text>`);
    const link = links[r - 1] ?? [];
    if (link.length <= MOST_LINKS) {
      for (const { from, to } of link) {
        if (from < columns.lo || from >= columns.hi || to < columns.lo || to >= columns.hi) continue;
        const [x0, x1] = [leftOf(columns, from + 0.5), leftOf(columns, to + 0.5)];
        const [y0, y1] = [y - LINKS - 3, y];
        parts.push(`<path class="link${rearranged && from === to ? ' stays' : ''}" d="M${x0.toFixed(1)} ${y0.toFixed(1)}C${x0.toFixed(1)} ${(y0 + 11).toFixed(1)} ${x1.toFixed(1)} ${(y1 - 11).toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}"/>`);
      }
    }
    const value = numbersOf(v.type, cells);
    if (readable) {
      const sorted = rearranged ? runLength(value, cells.length) : 1;
      for (let i = columns.lo; i < Math.min(cells.length, columns.hi); ++i) {
        const x = leftOf(columns, i);
        parts.push(`<rect class="cell${changed?.has(i) ? ' changed' : ''}" x="${(x + 1).toFixed(1)}" y="${y.toFixed(1)}" width="${(columns.width - 2).toFixed(1)}" height="${ROW - 3}" rx="2"/>`,
          fitted(text(v.type, cells[i], 3), x + columns.width / 2, y + ROW - 7, columns.width - 3));
      }
      for (let i = 0; sorted > 1 && i < cells.length; i += sorted) {
        const [x, end] = [leftOf(columns, Math.max(i, columns.lo)), leftOf(columns, Math.min(i + sorted, cells.length, columns.hi))];
        if (end > x) parts.push(`<rect class="run" x="${(x - 0.5).toFixed(1)}" y="${(y - 1.5).toFixed(1)}" width="${(end - x + 1).toFixed(1)}" height="${ROW}" rx="4"/>`);
      }
      return;
    }
    const [lo, count] = [columns.lo, Math.min(cells.length, columns.hi) - columns.lo];
    const shown = Math.min(count, Math.floor(columns.plot / 3));
    const width = (columns.width * count) / Math.max(1, shown);
    const scale = scaleOf((c) => value(lo + bucket(c, shown, count)[0]), shown, 1);
    // By shade, from 0 to 10, of unchanged cells and of changed ones.
    const shapes = Array.from({ length: 22 }, () => '');
    for (let c = 0; c < shown; ++c) {
      const [from, to] = bucket(c, shown, count);
      let isChanged = false;
      for (let i = from; i < to && !isChanged; ++i) isChanged = changed?.has(lo + i) ?? false;
      const shade = Math.round(10 * Math.abs(scale.zero - scale.y(value(lo + from))));
      shapes[shade + (isChanged ? 11 : 0)] += box(GUTTER + c * width, y, width, 9);
    }
    const attributes = (i: number) => `fill="var(${i < 11 ? '--accent' : '--changed'})" fill-opacity="${(0.12 + 0.088 * (i % 11)).toFixed(2)}"`;
    parts.push(...paths(new Map(shapes.flatMap((path, i) => (path === '' ? [] : [[attributes(i), path]])))));
  });
  const height = 22 + states.length * pitch;
  if (!rearranged) return { svg: `<g class="rows">${parts.join('')}</g>`, height };
  // Of a sort, where each number belongs.
  const { cells } = states[states.length - 1];
  const y = top + 4 + (states.length - 1) * pitch + ROW + 12;
  parts.push(`<text class="faint" x="2" y="${y}">rank</text>`);
  const rank = ranks(numbersOf(v.type, cells), cells.length);
  for (let i = columns.lo; i < Math.min(cells.length, columns.hi); ++i) {
    parts.push(`<text class="faint rank" text-anchor="middle" x="${leftOf(columns, i + 0.5).toFixed(1)}" y="${y}">${rank[i]}</text>`);
  }
  return { svg: `<g class="rows">${parts.join('')}</g>`, height: height + 6 };
}
