/** An array of one dimension: bars, and below them the values where they fit. `bad`: a cell of a conflict, else -1. */
import { escape } from '../../dom';
import { numbersOf, text, type Marks } from '../../run';
import type { Variable } from '../../types';
import { bucket, scaleOf } from './scale';
import { box, fitted, GUTTER, leftOf, paths, READABLE, shorten, type Columns } from './shapes';

export function strip(v: Variable, words: BigInt64Array, top: number, height: number, columns: Columns,
                      changed: Marks | undefined, bad: number): string {
  const value = numbersOf(v.type, words);
  const { lo, width } = columns;
  const count = Math.max(0, Math.min(words.length, columns.hi) - lo);
  const bars = width < 3 ? Math.min(count, Math.floor(Math.min(columns.plot, width * count) / 2)) : count;
  const barWidth = (width * count) / Math.max(1, bars);
  // One pass: an array may have a million cells.
  const ends = new Float64Array(2 * bars);
  const kinds = new Uint8Array(bars);
  for (let c = 0; c < bars; ++c) {
    const [from, to] = bucket(c, bars, count);
    let low = Infinity;
    let high = -Infinity;
    for (let i = lo + from; i < lo + to; ++i) {
      const here = value(i);
      if (here < low) low = here;
      if (here > high) high = here;
      if (kinds[c] === 0 && changed?.has(i)) kinds[c] = 1;
    }
    ends[2 * c] = low;
    ends[2 * c + 1] = high;
    if (bad >= lo + from && bad < lo + to) kinds[c] = 2;
  }
  const scale = scaleOf((i) => ends[i], ends.length, height);
  const parts = [`<text class="label" x="2" y="${top + height + 14}">${escape(shorten(v.name, 9))}</text>`,
    `<text class="faint" x="2" y="${top + height + 27}">${v.role} [${words.length}]</text>`,
    `<line class="axis" x1="${GUTTER}" x2="${(GUTTER + width * count).toFixed(1)}" y1="${top + scale.zero}" y2="${top + scale.zero}"/>`];
  const shapes = new Map<string, string>();
  for (let c = 0; c < bars; ++c) {
    const from = bucket(c, bars, count)[0];
    const y0 = scale.y(Math.max(0, ends[2 * c + 1]));
    const y1 = scale.y(Math.min(0, ends[2 * c]));
    const kind = `bar-rect${['', ' changed', ' bad'][kinds[c]]}`;
    const gap = barWidth < 8 ? 0 : 2;
    const [x, w, h] = [GUTTER + c * barWidth + gap / 2, Math.max(1, barWidth - gap), Math.max(y1 - y0, 1)];
    if (gap === 0) shapes.set(`class="${kind}"`, (shapes.get(`class="${kind}"`) ?? '') + box(x, top + y0, barWidth, h));
    else parts.push(`<rect class="${kind}" data-cell="${lo + from}" x="${x.toFixed(1)}" y="${(top + y0).toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}"/>`);
  }
  parts.push(...paths(shapes));
  for (let i = lo; width >= READABLE && i < lo + count; ++i) {
    const kind = bad === i ? ' bad' : changed?.has(i) ? ' changed' : '';
    const x = leftOf(columns, i);
    parts.push(`<rect class="cell${kind}" x="${(x + 1).toFixed(1)}" y="${top + height + 2}" width="${(width - 2).toFixed(1)}" height="16" rx="2"/>`,
      fitted(text(v.type, words[i], 3), x + width / 2, top + height + 14, width - 3, v.name, i));
    if (width >= 16) parts.push(`<text class="faint" text-anchor="middle" x="${(x + width / 2).toFixed(1)}" y="${top + height + 28}">${width >= 30 || i < 1000 || i % 2 === 0 ? i : ''}</text>`);
  }
  return `<g data-variable="${escape(v.name)}">${parts.join('')}</g>`;
}
