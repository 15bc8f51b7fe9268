import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../src/engine';
import { Kernels } from '../src/kernels';
import { Run } from '../src/run';
import { kernelsOf } from '../src/views/code/kernel_text';
import { activeSets } from '../src/views/code/sets';
import { randomProgram } from '../e2e/random_program';
import { engine, generated } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

it('each step has its unit, whose lines, meta-program and kernel are there', { timeout: 60_000 }, () => {
  const passes = lab.explain(lab.library()[0].text, []).passes.map(({ name }) => name);
  for (const { name, text } of lab.library()) {
    const input = generated(lab, name, 6);
    const run = new Run(lab.run(text, input, 100_000, 4_000_000));
    for (const without of [[], ['all'], ...passes.map((pass) => [pass])]) {
      const what = `${name} without ${without.join()}`;
      const { lines, units } = lab.explain(text, without);
      const { arrays, ...counts } = lab.kernelSteps(text, input, without, 100_000);
      const kernels = new Kernels(counts, arrays.ends);
      const named = new Set(kernelsOf(lab.kernels(text, without, 'c').text).flatMap(({ names }) => names));
      expect(counts.kernels + counts.tests + counts.host, what).toBe(kernels.count);
      units.forEach(({ kind, kernel }, unit) => {
        expect(lines.some((line) => line.unit === unit), what).toBe(true);
        if (kind !== 'host') expect(kernel === '' || named.has(kernel), `${what}: ${kernel}`).toBe(true);
        if (kind === 'kernel') expect(kernel, what).not.toBe('');
      });
      let ends = 0;
      for (let k = 1; k <= run.end; ++k) {
        run.seek(k);
        const unit = units[kernels.unit(k)];
        expect(unit.lines, `${what}, step ${k}`).toContain(run.step(k).line);
        const sets = activeSets(run, kernels, units);
        expect(sets.every(({ size }, i) => i === 0 || size <= sets[i - 1].size), `${what}, step ${k}: ${JSON.stringify(sets)}`).toBe(true);
        if (kernels.next(k - 1, run.end) === k) ++ends;
      }
      expect(ends, what).toBe(kernels.count);
    }
  }
});

it('random programs have kernels to their end, and a unit for each line', { timeout: 60_000 }, () => {
  for (let seed = 1; seed <= 300; ++seed) {
    const { program, input } = randomProgram(seed);
    const { end } = new Run(lab.run(program, input, 100_000, 4_000_000));
    for (const without of [[], ['all']]) {
      const { lines, units } = lab.explain(program, without);
      expect(Math.max(-1, ...lines.map(({ unit }) => unit)), program).toBe(units.length - 1);
      const { arrays, ...counts } = lab.kernelSteps(program, input, without, 100_000);
      const kernels = new Kernels(counts, arrays.ends);
      let at = 0;
      for (let i = 0; i < kernels.count; ++i) {
        const next = kernels.next(at, end);
        expect(next, `${program} after step ${at}`).toBeGreaterThan(at);
        at = next;
      }
      expect(at, program).toBe(end);
    }
  }
});

it('steps by kernel go forward and back along the same places', () => {
  const { text } = lab.library().find(({ name }) => name === 'sort')!;
  const { arrays, ...counts } = lab.kernelSteps(text, generated(lab, 'sort', 9), [], 100_000);
  const kernels = new Kernels(counts, arrays.ends);
  const end = arrays.ends[arrays.ends.length - 2];
  const places = [0];
  while (places[places.length - 1] < end) places.push(kernels.next(places[places.length - 1], end));
  const back = [end];
  while (back[0] > 0) back.unshift(kernels.back(back[0]));
  expect(places).toEqual(back);
  expect(places).toHaveLength(kernels.count + 1);
  expect(kernels.next(end, end)).toBe(end);
  expect(kernels.unit(0)).toBe(-1);
  // Between two ends a step back goes to the beginning of the current kernel.
  const long = places.findIndex((place, i) => i > 0 && place - places[i - 1] > 1);
  expect(kernels.back(places[long] - 1)).toBe(places[long - 1]);
});

it('a step that fails belongs to no kernel', () => {
  const text = 'mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p]\nif p > 0 { B[p] = A[p] + A[p - 1] }\n';
  const run = new Run(lab.run(text, '1 2 3', 100, 100));
  const { arrays, ...counts } = lab.kernelSteps(text, '1 2 3', [], 100);
  const kernels = new Kernels(counts, arrays.ends);
  expect(run.failed).toBe(true);
  expect(kernels.unit(run.end)).toBe(-1);
  expect(kernels.next(run.end - 1, run.end)).toBe(run.end);
});
