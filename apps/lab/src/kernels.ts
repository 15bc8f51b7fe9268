/** A run by kernels: where each one ends, and which unit of the meta-program it is. */
import type { KernelSteps } from './types';

const NO_UNIT = 0xffffffff;

export class Kernels {
  /** `ends`: of each kernel, the step that ends it and its unit, as two numbers. */
  constructor(readonly counts: Omit<KernelSteps, 'arrays'>, readonly ends: Uint32Array) {}

  get count(): number { return this.ends.length / 2; }

  /** The number of the kernel that has step k, from 1; 0 before the first step. */
  of(k: number): number { return k === 0 ? 0 : this.firstFrom(k) + 1; }
  /** The unit of step k; -1: none, or the step failed. */
  unit(k: number): number {
    const unit = k === 0 ? NO_UNIT : this.ends[2 * this.firstFrom(k) + 1] ?? NO_UNIT;
    return unit === NO_UNIT ? -1 : unit;
  }
  /** The position after the kernel that comes next; `end` where none does. */
  next(k: number, end: number): number { return Math.min(end, this.ends[2 * this.firstFrom(k + 1)] ?? end); }
  /** The position before the current kernel. */
  back(k: number): number {
    const at = this.firstFrom(k);
    return at === 0 ? 0 : this.ends[2 * (at - 1)];
  }

  /** The index of the first kernel that ends at k or later. */
  private firstFrom(k: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[2 * middle] < k) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
