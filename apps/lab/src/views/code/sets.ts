/** The stack of active sets at a step. */
import type { Kernels } from '../../kernels';
import type { Run } from '../../run';
import type { Explanation } from '../../types';

export interface ActiveSet { set: number; size: number }

/** T0 down to the set of the current step, each within the one before; empty where one processor runs. */
export function activeSets(run: Run, kernels: Kernels, units: Explanation['units']): ActiveSet[] {
  const k = run.position;
  const sets = units[kernels.unit(k)]?.sets ?? [];
  const block = k === 0 ? null : run.step(k).block;
  if (sets.length === 0 || block === null) return [];
  // Branches within a kernel have fewer processors than its set, which its first step has.
  const size = (at: number) => run.active(kernels.back(at) + 1);
  const sizes = new Map<number, number>([[sets[sets.length - 1], size(k)], [0, run.step(k).processors]]);
  // Each set has its size from the last step that ran on it.
  for (let at = k; at > 0 && sizes.size < sets.length && run.step(at).block === block; --at) {
    const of = units[kernels.unit(at)]?.sets ?? [];
    const set = of[of.length - 1];
    if (sets.includes(set) && !sizes.has(set)) sizes.set(set, size(at));
  }
  return sets.map((set) => ({ set, size: sizes.get(set) ?? size(k) }));
}
