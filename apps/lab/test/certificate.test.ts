import { beforeAll, expect, it } from 'vitest';
import { problems } from '../src/catalog';
import { certificateOf } from '../src/certificate';
import type { Engine } from '../src/engine';
import { Run } from '../src/run';
import { engine, generated } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

/** A finished run of a program of the library on generated input. */
function finished(name: string, size: number, seed: number): Run {
  const { text } = lab.library().find((candidate) => candidate.name === name)!;
  const run = new Run(lab.run(text, generated(lab, name, size, seed, seed % 2 ? 'random' : 'shuffle'), 100_000, 4_000_000));
  run.seek(run.end);
  return run;
}
const all = () => problems(lab.library()).flatMap(({ name, algorithms }) => algorithms.map((algorithm) => ({ problem: name, algorithm })));

it('holds for every program of the library, and stands at the end alone', () => {
  for (const { problem, algorithm } of all()) {
    for (const [size, seed] of [[1, 1], [2, 2], [5, 3], [8, 4], [13, 5]]) {
      const run = finished(algorithm, size, seed);
      expect(certificateOf(problem, run), `${algorithm}, size ${size}`).toMatchObject({ holds: true });
      if (run.end === 0) continue;
      run.seek(run.end - 1);
      expect(certificateOf(problem, run), algorithm).toBeNull();
    }
  }
});

it('fails when a cell of an output is another one', () => {
  for (const { problem, algorithm } of all()) {
    const run = finished(algorithm, 9, 7);
    let [tried, noticed] = [0, 0];
    run.summary.variables.forEach((v, i) => {
      // A program may leave what its certificate does not need: bids, paths where there is none.
      if (!['output', 'inout'].includes(v.role) || ['next', 'negative'].includes(v.name)) return;
      for (let cell = 0; cell < run.variables[i].length; ++cell) {
        const before = run.variables[i][cell];
        for (const delta of [1n, -1n]) {
          run.variables[i][cell] = v.type === 'real' ? before + (delta << 50n) : before + delta;
          if (v.type === 'bool' || v.name === 'tree') run.variables[i][cell] = 1n - before;
          ++tried;
          noticed += certificateOf(problem, run)?.holds === false ? 1 : 0;
        }
        run.variables[i][cell] = before;
      }
    });
    expect(tried, algorithm).toBeGreaterThan(0);
    // Another free vertex is as good in a matching, another edge of the same weight in a tree.
    expect(noticed / tried, algorithm).toBeGreaterThanOrEqual(problem === 'Matching' ? 0.7 : problem === 'Spanning tree' ? 0.95 : 1);
  }
});
