import { expect, it } from 'vitest';
import { fit } from '../src/growth';
import { kernelsOf } from '../src/views/code/kernel_text';

it('names the curve that a cost follows', () => {
  const sizes = [4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const named = (f: (n: number) => number) => fit(sizes.map((n) => ({ n, value: f(n) }))).name;
  expect(named(() => 7)).toBe('1');
  expect(named((n) => 3 * Math.log2(n) + 5)).toBe('log n');
  expect(named((n) => Math.log2(n) ** 2 + 9)).toBe('log² n');
  expect(named((n) => 2 * n - 1)).toBe('n');
  expect(named((n) => 4 * n * Math.log2(n) + n)).toBe('n log n');
  expect(named((n) => n * (n - 1) / 2)).toBe('n²');
  expect(named((n) => n ** 3 + n)).toBe('n³');
});

it('cuts a source into kernels with their first lines', () => {
  expect(kernelsOf('prelude\n// Line 3.\nKERNEL void kernel_0(a)\n// Line 7.\nb\n').map(({ line, names }) => [line, ...names])).toEqual([[0], [3, 'kernel_0'], [7]]);
});
