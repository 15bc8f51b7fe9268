/** Generated inputs, as the text that the Input box shows. The same seed gives the same text. */
import type { Client } from './client';
import type { ProgramInput } from './types';

export type ArrayKind = 'constant' | 'random' | 'signed' | 'shuffle' | 'ascending' | 'descending';

/** Numbers below a bound (mulberry32). */
export function random(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * bound);
  };
}

export function numbers(kind: ArrayKind, n: number, seed: number): number[] {
  const next = random(seed);
  const ascending = Array.from({ length: n }, (_, i) => i);
  switch (kind) {
    case 'constant': return ascending.map(() => 1);
    case 'random': return ascending.map(() => next(11));
    case 'signed': return ascending.map(() => next(19) - 9);
    case 'ascending': return ascending;
    case 'descending': return ascending.reverse();
    case 'shuffle':
      for (let i = n - 1; i > 0; --i) {
        const j = next(i + 1);
        [ascending[i], ascending[j]] = [ascending[j], ascending[i]];
      }
      return ascending;
  }
}

/** A list through n elements in random order, as the index of each element's next one; -1 at the end. */
export function linkedList(n: number, seed: number): number[] {
  const order = numbers('shuffle', n, seed);
  const next = new Array<number>(n);
  order.forEach((element, i) => { next[element] = i + 1 < n ? order[i + 1] : -1; });
  return next;
}

const rows = (values: (string | number)[], columns: number): string => {
  const lines: string[] = [];
  for (let i = 0; i < values.length; i += columns) lines.push(values.slice(i, i + columns).join(' '));
  return '\n' + lines.join('\n');
};

/** Arrays for all inputs of a program: every extent that is a name becomes n. */
export function arraysText(inputs: ProgramInput[], kind: ArrayKind, n: number, seed: number): string {
  const arrays = inputs.filter((input) => input.extents.length > 0);
  const sorted = arrays.length === 2 && arrays.every((input) => input.extents.length === 1) && arrays[0].extents[0] !== arrays[1].extents[0];
  const parts = inputs.map((input, i) => {
    if (input.extents.length === 0) {
      return `${input.name} = ${input.name === 'n' ? n : input.type === 'bool' ? 'true' : kind === 'random' ? random(seed + i)(11) : 1}`;
    }
    const cells = input.extents.length === 2 ? n * n : n;
    let values: (number | string)[] = input.name === 'next' ? linkedList(cells, seed) : numbers(kind, cells, seed + i);
    // Two arrays of different sizes are to be merged.
    if (sorted) values = (values as number[]).sort((a, b) => a - b);
    if (input.type === 'bool') values = values.map((value) => (Number(value) % 3 === 0 ? 'true' : 'false'));
    return `${input.name} = ${input.extents.length === 2 ? rows(values, n) : values.join(' ')}`;
  });
  return parts.join('\n');
}

/** A graph from its edges, lines "source target", with weights if they are asked for, and the scalars beside it. */
export function graphText(edges: string, inputs: ProgramInput[], weights: boolean, both: boolean, seed: number): string {
  const next = random(seed);
  const lines = edges.trim().split('\n').filter((line) => line !== '').map((line) => (weights ? `${line} ${1 + next(9)}` : line));
  const back = both ? lines.map((line) => line.split(' ')).map(([a, b, w]) => (w ? `${b} ${a} ${w}` : `${b} ${a}`)) : [];
  const scalars = inputs.filter((input) => !input.graph && input.extents.length === 0).map((input) => `${input.name} = 0\n`);
  return `${scalars.join('')}graph =\n${[...lines, ...back].join('\n')}`;
}

/** An input of a kind, of arrays or of a graph, for all that a program takes. */
export async function generatedInput(inputs: ProgramInput[], kind: string, size: number, seed: number, call: Client['call']): Promise<string> {
  if (!inputs.some(({ graph, extents }) => graph && extents.length > 0)) return arraysText(inputs, kind as ArrayKind, size, seed);
  const edges = await call('graph', kind, size, seed);
  const names = inputs.map(({ name }) => name);
  return graphText(edges, inputs, names.includes('weight') || names.includes('W'), names.includes('W'), seed);
}
