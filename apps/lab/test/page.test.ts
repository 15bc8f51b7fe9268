import { expect, it } from 'vitest';
import { linkedList, numbers } from '../src/inputs';
import { text } from '../src/run';
import { fromFragment, toFragment } from '../src/share';
import { bucket, scaleOf } from '../src/views/array/scale';

it('generates the same numbers for the same seed', () => {
  expect(numbers('random', 50, 7)).toEqual(numbers('random', 50, 7));
  expect(numbers('random', 500, 1).every((value) => value >= 0 && value <= 10)).toBe(true);
  expect(numbers('shuffle', 20, 3).sort((a, b) => a - b)).toEqual(numbers('ascending', 20, 0));
  expect(numbers('descending', 3, 0)).toEqual([2, 1, 0]);
  expect(numbers('constant', 3, 0)).toEqual([1, 1, 1]);
});

it('generates lists that reach every element', () => {
  const next = linkedList(20, 5);
  const first = next.findIndex((_, element) => !next.includes(element));
  const reached = new Set<number>();
  for (let at = first; at >= 0; at = next[at]) reached.add(at);
  expect(reached.size).toBe(20);
});

it('shares programs in the address, and takes no others', async () => {
  const shared = { program: 'mode EREW\n# ä ∞\n', input: '1 2 3', algorithm: 'own' };
  expect(await fromFragment(await toFragment(shared))).toEqual(shared);
  for (const fragment of ['', '#scan', '#1.', '#1.AAAA', '#1.!!']) expect(await fromFragment(fragment)).toBeNull();
});

it('writes values as people read them', () => {
  const real = (value: number) => { const view = new DataView(new ArrayBuffer(8)); view.setFloat64(0, value); return text('real', view.getBigInt64(0)); };
  expect([1, 0.5, 1 / 3, Infinity, -Infinity, NaN].map(real)).toEqual(['1', '0.5', '0.333333', '∞', '−∞', 'NaN']);
  expect([text('bool', 1n), text('int', -5n), text('int', 9223372036854775807n)]).toEqual(['true', '-5', '9223372036854775807']);
});

it('scales bars from zero, below it too', () => {
  const scale = scaleOf((i) => [-5, 5, Infinity][i], 3, 100);
  expect([scale.zero, scale.y(5), scale.y(-5), scale.y(Infinity)]).toEqual([50, 0, 100, 0]);
  expect(scaleOf(() => 0, 0, 10).zero).toBe(10);
});

it('puts every cell into one column', () => {
  const seen: number[] = [];
  for (let c = 0; c < 7; ++c) { const [from, to] = bucket(c, 7, 100); for (let i = from; i < to; ++i) seen.push(i); }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i));
});
