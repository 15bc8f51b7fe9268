/** Where the values of an array's state come from: cells of the state before it. */
import type { Run, State } from '../../run';

export interface Link { from: number; to: number }

/** In a rearrangement of the numbers, the old and the new place of each; equal ones keep their order. Null: none is one. */
export function moves(before: BigInt64Array, after: BigInt64Array): Link[] | null {
  const places = new Map<bigint, number[]>();
  before.forEach((value, cell) => {
    const list = places.get(value);
    if (list) list.push(cell);
    else places.set(value, [cell]);
  });
  const taken = new Map<bigint, number>();
  const links: Link[] = [];
  for (const [to, value] of after.entries()) {
    const nth = taken.get(value) ?? 0;
    const from = places.get(value)?.[nth];
    if (from === undefined) return null;
    taken.set(value, nth + 1);
    links.push({ from, to });
  }
  return links;
}

/** What each processor that made the state had read of the array since the state before. */
export function uses(run: Run, variable: number, before: State, after: State): Link[] {
  const read = new Map<number, Set<number>>();
  const links = new Map<string, Link>();
  for (let k = before.step + 1; k <= after.step; ++k) {
    for (const { write, variable: of, cell, processor } of run.accessesOf(k)) {
      if (of !== variable) continue;
      const cells = read.get(processor) ?? new Set<number>();
      read.set(processor, cells);
      if (!write) cells.add(cell);
      else if (k === after.step) cells.forEach((from) => links.set(`${from} ${cell}`, { from, to: cell }));
    }
  }
  return [...links.values()];
}

/**
 * The links to each state from the one before it; `rearranged`: all states have the same numbers, and links are where they
 * move. Else links say who read what.
 */
export function linksOf(run: Run, variable: number, states: State[]): { links: Link[][]; rearranged: boolean } {
  const steps = states.slice(1).map((after, i) => moves(states[i].cells, after.cells));
  const rearranged = steps.length > 0 && new Set(states[0].cells).size > states[0].cells.length / 2 && steps.every((step) => step !== null);
  return { links: rearranged ? steps as Link[][] : states.slice(1).map((after, i) => uses(run, variable, states[i], after)), rearranged };
}

/** The place of each number in the sorted order; equal ones keep their order. */
export function ranks(value: (i: number) => number, count: number): number[] {
  const rank = new Array<number>(count);
  Array.from({ length: count }, (_, i) => i).sort((a, b) => value(a) - value(b) || a - b).forEach((cell, place) => { rank[cell] = place; });
  return rank;
}

/** The greatest power of two such that each block of as many cells, from the first on, ascends. */
export function runLength(value: (i: number) => number, count: number): number {
  let length = 1;
  while (length < count) {
    for (let i = 1; i < count; ++i) if (i % (2 * length) !== 0 && value(i - 1) > value(i)) return length;
    length *= 2;
  }
  return length;
}
