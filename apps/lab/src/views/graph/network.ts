/** The graph that a run's inputs describe, by the names that programs give its parts. */
import { number, text, type Run } from '../../run';

export interface NetworkNode {
  name: string;
  /** Of arrays with a cell for each node of its side. */
  cell: number;
  side: 'all' | 'left' | 'right';
}
/** `both`: there is one in each direction. */
export interface NetworkEdge { from: number; to: number; cells: number[]; weight: string; both: boolean }
/** `pointers`: each node has one edge at most, its pointer. `directed`: directions matter. */
export interface Network { nodes: NetworkNode[]; edges: NetworkEdge[]; directed: boolean; pointers: boolean }

/** Null where the inputs are not a graph. */
export function networkOf(run: Run): Network | null {
  const { variables, parameters, labels } = run.summary;
  const at = (name: string, dimensions = 1) => variables.findIndex((v) => v.name === name && v.extents.length === dimensions);
  const values = (i: number) => Array.from(run.variables[i], Number);
  const parameter = (name: string) => Number(parameters.find((p) => p.name === name)?.value ?? NaN);
  const weightOf = (i: number, cell: number) => (i < 0 ? '' : text(variables[i].type, run.variables[i][cell], 3));
  const nameOf = (v: number) => String(labels[v] ?? v);

  // Both directions of an edge are one line.
  const merged = new Map<string, NetworkEdge>();
  const add = (from: number, to: number, cell: number, weight: string) => {
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    const edge = merged.get(key);
    if (edge) {
      edge.cells.push(cell);
      edge.both ||= edge.from !== from;
    } else if (from !== to && to >= 0) merged.set(key, { from, to, cells: [cell], weight, both: false });
  };
  const plain = (n: number, directed: boolean, pointers = false): Network => ({
    nodes: Array.from({ length: n }, (_, cell): NetworkNode => ({ name: nameOf(cell), cell, side: 'all' })),
    edges: [...merged.values()], directed, pointers,
  });

  const [source, target] = [at('source'), at('target')];
  if (source >= 0 && target >= 0) {
    const [from, to] = [values(source), values(target)];
    from.forEach((v, i) => add(v, to[i], i, weightOf(at('weight'), i)));
    const greatest = [...from, ...to].reduce((a, b) => Math.max(a, b), -1);
    return plain(parameter('n') || greatest + 1, at('level') >= 0);
  }
  const [offset, neighbour] = [at('offset'), at('neighbour')];
  if (offset >= 0 && neighbour >= 0) {
    const [offsets, neighbours] = [values(offset), values(neighbour)];
    // Both sides are numbered alike; a vertex stands on those where it has edges.
    const left: number[] = [];
    for (let v = 0; v + 1 < offsets.length; ++v) if (offsets[v] < offsets[v + 1]) left.push(v);
    const right = [...new Set(neighbours)].sort((a, b) => a - b);
    const place = new Map(right.map((v, i) => [v, left.length + i]));
    left.forEach((v, i) => { for (let e = offsets[v]; e < offsets[v + 1]; ++e) add(i, place.get(neighbours[e])!, e, ''); });
    const side = (list: number[], which: 'left' | 'right') => list.map((cell): NetworkNode => ({ name: nameOf(cell), cell, side: which }));
    return { nodes: [...side(left, 'left'), ...side(right, 'right')], edges: [...merged.values()], directed: false, pointers: false };
  }
  const matrix = at('edge', 2) >= 0 ? at('edge', 2) : at('W', 2);
  if (matrix >= 0) {
    const n = variables[matrix].extents[0];
    const weight = at('weight', 2) >= 0 ? at('weight', 2) : variables[matrix].name === 'W' ? matrix : -1;
    for (let cell = 0; cell < n * n; ++cell) {
      const value = number(variables[matrix].type, run.variables[matrix][cell]);
      if (value !== 0 && Number.isFinite(value)) add(Math.floor(cell / n), cell % n, cell, weightOf(weight, cell));
    }
    return plain(n, variables[matrix].name === 'W');
  }
  const pointer = at('parent') >= 0 ? at('parent') : variables.findIndex((v) => v.name === 'next' && v.role !== 'output' && v.extents.length === 1);
  if (pointer >= 0) {
    values(pointer).forEach((to, v) => add(v, to, v, ''));
    return plain(variables[pointer].extents[0], true, true);
  }
  return null;
}
