import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../src/engine';
import { Run } from '../src/run';
import { linksOf, moves, ranks, runLength } from '../src/views/array/flow';
import { engine } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

/** The links between all states of a variable, as "from-to". */
function flow(name: string, input: string, variable: string): { rows: string[][]; rearranged: boolean } {
  const { text } = lab.library().find((candidate) => candidate.name === name)!;
  const run = new Run(lab.run(text, input, 10_000, 100_000));
  run.seek(run.end);
  const index = run.summary.variables.findIndex((v) => v.name === variable);
  const { links, rearranged } = linksOf(run, index, run.history(index, 100));
  return { rows: links.map((list) => list.map(({ from, to }) => `${from}-${to}`).sort()), rearranged };
}

it('a scan is a tree upwards and downwards', () => {
  const { rows, rearranged } = flow('scan', 'A = 1 2 3 4', 'B');
  expect(rearranged).toBe(false);
  expect(rows).toEqual([[], ['0-1', '1-1', '2-3', '3-3'], ['1-3', '3-3'], [], ['1-1', '1-3', '3-1', '3-3'], ['0-0', '0-1', '1-0', '1-1', '2-2', '2-3', '3-2', '3-3']]);
});

it('a sort is a path of each number, equal ones in their order', () => {
  const { rows, rearranged } = flow('sort', 'A = 3 1 3 0', 'A');
  expect(rearranged).toBe(true);
  expect(rows[rows.length - 1]).toHaveLength(4);
  expect(moves(BigInt64Array.of(3n, 1n, 3n), BigInt64Array.of(1n, 3n, 3n))).toEqual([{ from: 1, to: 0 }, { from: 0, to: 1 }, { from: 2, to: 2 }]);
  expect(moves(BigInt64Array.of(1n, 2n), BigInt64Array.of(1n, 1n))).toBeNull();
});

it('ranks are places in the sorted order', () => {
  expect(ranks((i) => [5, 1, 5, 0][i], 4)).toEqual([2, 1, 3, 0]);
});

it('sorted runs are as long as they are', () => {
  const length = (...values: number[]) => runLength((i) => values[i], values.length);
  expect([length(2, 1), length(1, 3, 2, 4), length(1, 2, 3, 4, 0), length(1, 2, 3), length(3)]).toEqual([1, 2, 4, 4, 1]);
});
