/** The engine as WebAssembly against the program for this machine: all states, modes that fail too. No browser. */
import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../src/engine';
import { MODES, withMode } from '../src/modes';
import { number, Run, text } from '../src/run';
import { engine, generated } from '../test/engine';
import { long } from './long';
import { randomProgram } from './random_program';
import { trace, type State } from './trace';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

/** Both runs; returns whether they failed. */
function compare(program: string, input: string, what: string): boolean {
  const run = new Run(lab.run(program, input, 100_000, 4_000_000));
  const { states, error } = trace(program, input);
  expect(run.failed, what).toBe(error !== null);
  expect(run.done, what).toBe(states.length - 1);
  const stateOf = (k: number): State => ({
    line: k === 0 ? 0 : run.step(k).line, active: k === 0 ? 0 : run.step(k).active, work: run.work(k), depth: run.depth(k),
    variables: Object.fromEntries(run.summary.variables.map((v, i) =>
      [v.name, Array.from(run.variables[i], (word) => (v.type === 'real' ? String(number(v.type, word)) : text(v.type, word)))])),
  });
  for (let k = 0; k <= run.done; ++k) { run.seek(k); expect(stateOf(k), `${what}, step ${k}`).toEqual(states[k]); }
  for (let k = run.done; k >= 0; --k) { run.seek(k); expect(stateOf(k), `${what}, back to ${k}`).toEqual(states[k]); }
  if (run.summary.end.kind === 'error') expect(error).toBe(run.summary.end.message.replace(/^program:/, error!.slice(0, error!.indexOf(':')) + ':'));
  return run.failed;
}

it('equal states for every program, size and kind of input', { timeout: 120_000 }, () => {
  for (const { name, text: program } of lab.library()) {
    for (const [size, seed, kind] of [[1, 1, 'constant'], [2, 2, 'shuffle'], [3, 3, 'random'], [7, 4, 'descending'], [16, 5, 'random']] as const) {
      compare(program, generated(lab, name, size, seed, kind), `${name}, size ${size}`);
    }
  }
});

it('equal conflicts in modes that are too weak', { timeout: 120_000 }, () => {
  let failed = 0;
  for (const { name, text: program } of lab.library()) {
    for (const mode of MODES.slice(0, 3)) {
      const weak = withMode(program, mode);
      if (lab.check(weak).mode === null) continue;
      failed += compare(weak, generated(lab, name, 6, 9, 'random'), `${name} in ${mode}`) ? 1 : 0;
    }
  }
  expect(failed).toBeGreaterThan(10);
});

long('equal states, errors and conflicts of 1,000 random programs', { timeout: 300_000 }, () => {
  const count = { ran: 0, failed: 0 };
  for (let seed = 1; count.ran < 1000; ++seed) {
    const { program, input } = randomProgram(seed);
    if (lab.check(program).mode === null) throw new Error(`${JSON.stringify(lab.check(program).diagnostics[0])}\n${program}`);
    ++count.ran;
    if (compare(program, input, program)) ++count.failed;
  }
  // Both kinds are there.
  expect(Math.min(count.failed, count.ran - count.failed)).toBeGreaterThan(100);
});
