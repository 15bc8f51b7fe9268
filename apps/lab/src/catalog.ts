/** The programs by the problem that they solve, in the order of teaching. */
import type { LibraryProgram } from './types';

/** What is generated for a problem first. */
export type Kind =
  | { array: 'random' | 'shuffle'; size: number }
  | { graph: 'random' | 'bipartite' | 'tree' | 'grid'; size: number };

export interface Problem { name: string; algorithms: string[]; input: Kind }

export const PROBLEMS: Problem[] = [
  { name: 'Reduction', algorithms: ['reduction', 'maximum', 'broadcast'], input: { array: 'random', size: 8 } },
  { name: 'Prefix sums', algorithms: ['scan', 'exclusive_scan', 'doubling_scan', 'segmented_scan'], input: { array: 'random', size: 8 } },
  { name: 'Sort', algorithms: ['sort', 'sort_odd_even', 'sort_bitonic', 'odd_even_sort', 'bitonic_sort', 'merge'], input: { array: 'shuffle', size: 16 } },
  { name: 'Distances', algorithms: ['all_pairs_distances', 'breadth_first_search'], input: { graph: 'random', size: 8 } },
  { name: 'Matching', algorithms: ['matching'], input: { graph: 'bipartite', size: 12 } },
  { name: 'Components', algorithms: ['components', 'components_matrix'], input: { graph: 'random', size: 12 } },
  { name: 'Spanning tree', algorithms: ['spanning_forest', 'spanning_forest_matrix'], input: { graph: 'random', size: 10 } },
  { name: 'Lists and trees', algorithms: ['list_ranking', 'tree_depth'], input: { graph: 'tree', size: 12 } },
  { name: 'Matrices', algorithms: ['matrix_product'], input: { array: 'random', size: 4 } },
];

/** "sort_odd_even" as people write it. */
export const title = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

/** The problems with the programs that are there; those that no problem names come last. */
export function problems(library: LibraryProgram[]): Problem[] {
  const there = new Set(library.map((program) => program.name));
  const known = new Set(PROBLEMS.flatMap((problem) => problem.algorithms));
  const others = [...there].filter((name) => !known.has(name));
  const all = others.length > 0 ? [...PROBLEMS, { name: 'Others', algorithms: others, input: PROBLEMS[0].input }] : PROBLEMS;
  return all.map((problem) => ({ ...problem, algorithms: problem.algorithms.filter((name) => there.has(name)) }));
}
