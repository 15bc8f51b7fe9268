/** The processors of the current step, their own variables, and arrows to the cells that they use. */
import { escape } from '../../dom';
import { text, type Access, type Run } from '../../run';
import type { Conflict } from '../../types';
import { fitted, GUTTER, leftOf, paths, READABLE, shortBool, shorten, tenths, type Columns } from './shapes';

const MOST_ARROWS = 400;
const MOST_OWN = 9;
/** The width from which a processor has a shape of its own, that a pointer can find. */
export const POINTED = 5;

export interface Anchor { x: number; y: number }
/** Where an arrow to a cell ends; nothing where the cell is not shown. */
export type Anchors = Map<number, (cell: number) => Anchor | null>;

/** `together`: one path for all of a kind, as their processors are too narrow to be pointed at. */
export function arrows(accesses: Access[], anchors: Anchors, middle: (p: number) => Anchor | null, conflict: Conflict | null, together: boolean): string {
  const parts: string[] = [];
  const merged = new Map<string, string>();
  const add = (attributes: string, path: string) => merged.set(attributes, (merged.get(attributes) ?? '') + path);
  let shown = 0;
  for (const { write, variable, cell, processor } of accesses) {
    const from = middle(processor);
    const to = anchors.get(variable)?.(cell);
    if (!from || !to) continue;
    if (++shown > MOST_ARROWS) break;
    const bad = conflict?.variable === variable && conflict.cell === cell && conflict.processors.includes(processor);
    const kind = write ? 'write' : 'read';
    // Reads and writes of one cell stand next to each other.
    const aside = write ? 5 : -5;
    const [x, y] = [tenths(to.x + aside), tenths(to.y + 6)];
    const start = tenths(from.x + aside / 2);
    const bend = (from.y - to.y) * 0.45;
    const curve = `M${start} ${tenths(from.y - 1)}C${start} ${tenths(from.y - bend)} ${x} ${tenths(to.y + bend)} ${x} ${y}`;
    if (together && !bad) {
      add(`class="arrow ${kind}"`, curve);
      add(`class="head ${kind}"`, `M${x} ${y - 2}l-3.5 7h7z`);
    } else {
      parts.push(`<path class="arrow ${kind}${bad ? ' bad' : ''}" data-of="${processor}" marker-end="url(#head-${bad ? 'bad' : kind})" d="${curve}"/>`);
    }
  }
  const head = (name: string, color: string) =>
    `<marker id="head-${name}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0l8 4-8 4z" fill="var(--${color})"/></marker>`;
  return `<defs>${head('read', 'read')}${head('write', 'write')}${head('bad', 'failed')}</defs><g class="${shown > 64 ? 'many' : ''}">${paths(merged).join('')}${parts.join('')}</g>`;
}

/** The rows that the processors' own variables take. */
export const ownRows = (run: Run, width: number): number => (width >= READABLE ? Math.min(MOST_OWN, mostOwn(run)) : 0);

/** The processors and at most as many of their own variables; the height that they take. */
export function processors(run: Run, top: number, columns: Columns, most: number, bad: number[] | undefined): { svg: string; height: number } {
  const k = run.position;
  const step = run.step(k);
  const active = new Set(run.activeOf(k));
  const { width, plot } = columns;
  const parts = [`<text class="label" x="2" y="${top + 14}">${step.block === null ? 'processor' : 'processors'}</text>`];
  if (width < POINTED || (active.size === 0 && step.active > 0)) {
    const share = step.active / Math.max(1, step.processors);
    parts.push(`<rect class="processor" x="${GUTTER}" y="${top}" width="${plot}" height="18" rx="3"/>`,
      `<rect class="processor active" x="${GUTTER}" y="${top}" width="${(plot * share).toFixed(1)}" height="18" rx="3"/>`,
      `<text class="faint" x="${GUTTER}" y="${top + 32}">${step.active.toLocaleString('en')} of ${step.processors.toLocaleString('en')} active</text>`);
    return { svg: `<g>${parts.join('')}</g>`, height: 40 };
  }
  const shown = Array.from({ length: Math.max(0, Math.min(step.processors, columns.hi) - columns.lo) }, (_, i) => columns.lo + i);
  for (const p of shown) {
    const on = active.has(p);
    const isBad = bad?.includes(p) ?? false;
    const x = leftOf(columns, p);
    parts.push(`<rect class="processor${isBad ? ' bad' : on ? ' active' : ''}" data-p="${p}" x="${(x + 1).toFixed(1)}" y="${top}" width="${Math.max(2, width - 2).toFixed(1)}" height="18" rx="9"/>`);
    if (width >= 16) parts.push(`<text class="${on || isBad ? 'on' : 'off'}" data-p="${p}" text-anchor="middle" x="${(x + width / 2).toFixed(1)}" y="${top + 13}">${p}</text>`);
  }
  let height = 24;
  if (width < READABLE || step.block === null) return { svg: `<g>${parts.join('')}</g>`, height };
  const changed = new Set(run.atFailure ? [] : run.changesOf(k).filter((c) => c.private).map((c) => `${c.index} ${c.cell}`));
  const own = run.summary.privates.map((v, i) => ({ v, i })).filter(({ v }) => v.block === step.block && !v.name.includes('.'));
  for (const { v, i } of own.slice(0, most)) {
    parts.push(`<text class="faint" x="10" y="${top + height + 12}">${escape(shorten(v.name, 10))}</text>`);
    for (const p of shown) {
      const x = leftOf(columns, p);
      parts.push(`<rect class="cell${changed.has(`${i} ${p}`) ? ' changed' : ''}" x="${(x + 1).toFixed(1)}" y="${top + height}" width="${(width - 2).toFixed(1)}" height="15" rx="2"/>`,
        fitted(shortBool(text(v.type, run.privates[i][p] ?? 0n, 3)), x + width / 2, top + height + 11.5, width - 3));
    }
    height += 17;
  }
  return { svg: `<g>${parts.join('')}</g>`, height };
}

/** The most variables that processors of one block have. */
function mostOwn(run: Run): number {
  const counts = new Map<number, number>();
  for (const { name, block } of run.summary.privates) {
    if (block !== null && !name.includes('.')) counts.set(block, (counts.get(block) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

/** By "variable cell", whether the step reads (r) and writes (w) it. */
export function touchedCells(accesses: Access[]): Map<string, string> {
  const touched = new Map<string, string>();
  for (const { write, variable, cell } of accesses) {
    const key = `${variable} ${cell}`;
    touched.set(key, (touched.get(key) ?? '') + (write ? 'w' : 'r'));
  }
  return touched;
}

export function distinct(accesses: Access[]): Access[] {
  const seen = new Set<string>();
  return accesses.filter(({ write, variable, cell, processor }) => {
    const key = `${write} ${variable} ${cell} ${processor}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
