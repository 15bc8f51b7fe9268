/** What the nodes and edges of a graph look like at the current step: colours, values, chosen edges, pointers. */
import type { Certificate } from '../../certificate';
import { number, text, type Run } from '../../run';
import type { Side } from '../../graph_text';
import type { Network } from './network';

/** `fill`: empty where the node has no colour. */
export interface NodeLook { fill: string; ink: '' | 'dark' | 'light'; value: string; changed: boolean; covers: boolean }
export interface EdgeLook { chosen: boolean; picked: boolean; touched: boolean }
export interface Arrow { from: number; to: number }
export interface Looks { nodes: NodeLook[]; edges: EdgeLook[]; arrows: Arrow[] }

/** Variables by number, -1 for none, and the node whose row of a square array is shown. */
export interface Shown { all: number; left: number; right: number; edges: number; arrows: number; from: number }

const INDEXES = ['source', 'target', 'offset', 'neighbour'];
const POINTERS = ['link', 'above', 'root', 'nearest', 'next', 'parent'];
/** Their values are lengths, not names of groups. */
const LENGTHS = ['D', 'level', 'distance', 'depth', 'rank', 'W'];

/** Distinct for the colour-blind (Okabe and Ito), then again paler. */
export const GROUPS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#7f7f7f', '#8fc1e3', '#f4d08a', '#8fd3bd', '#e8c3d6'];
/** Near to far (cividis). */
export const RAMP = ['#00224e', '#123570', '#3b496c', '#575d6d', '#707173', '#8a8678', '#a59c74', '#c3b369', '#e1cc55', '#fee838'];
/** The colour of names on a group, or on a step of the ramp. */
export const inkOf = (isLength: boolean, step: number): 'dark' | 'light' => (step > (isLength ? 4 : 0) ? 'dark' : 'light');
export const SIDES: Record<Side, [string, 'dark' | 'light' | '']> = { all: ['', ''], left: ['#0072b2', 'light'], right: ['#e69f00', 'dark'] };

/** The arrays with a cell, or a row, for each node of a side. */
export function nodeArrays(run: Run, network: Network, side: Side): number[] {
  const sided = network.nodes.some((node) => node.side !== 'all');
  return run.summary.variables.flatMap(({ name, extents, sizes }, i) => {
    if (INDEXES.includes(name) || name === 'tree') return [];
    const fits = sided ? extents.length === 1 && sizes[0] === side : side === 'all' && extents.length > 0 && extents.every((extent) => extent === network.nodes.length);
    return fits ? [i] : [];
  });
}

/** The arrays with a cell for each edge that the program makes. */
export function edgeArrays(run: Run, network: Network): number[] {
  const cells = network.edges.reduce((most, edge) => Math.max(most, ...edge.cells), -1) + 1;
  const sided = network.nodes.some((node) => node.side !== 'all');
  return run.summary.variables.flatMap(({ name, extents, role }, i) =>
    (name === 'tree' || (role !== 'input' && !sided && extents.length === 1 && extents[0] === cells && cells !== network.nodes.length) ? [i] : []));
}

/** The arrays that lead from node to node. */
export function arrowArrays(run: Run, network: Network): number[] {
  return run.summary.variables.flatMap(({ name, extents }, i) =>
    (POINTERS.includes(name) && extents.length === 1 && extents[0] === network.nodes.length ? [i] : []));
}

/** What is shown first: results rather than inputs, and pointers that jump. */
export function firstShown(run: Run, network: Network): Shown {
  const role = (i: number) => run.summary.variables[i].role;
  const name = (i: number) => run.summary.variables[i].name;
  const best = (list: number[]) => list.find((i) => role(i) === 'output') ?? list.find((i) => role(i) !== 'input') ?? list[0] ?? -1;
  return {
    all: best(nodeArrays(run, network, 'all')), left: best(nodeArrays(run, network, 'left')), right: best(nodeArrays(run, network, 'right')),
    edges: best(edgeArrays(run, network)), arrows: arrowArrays(run, network).find((i) => ['link', 'above'].includes(name(i))) ?? -1, from: 0,
  };
}

export function looksOf(run: Run, network: Network, shown: Shown, certificate: Certificate | null): Looks {
  const { variables } = run.summary;
  const k = run.position;
  const { nodes, edges } = network;
  const values = (name: string, dimensions = 1) => {
    const i = variables.findIndex((v) => v.name === name && v.extents.length === dimensions);
    return i < 0 ? null : { i, at: (cell: number) => number(variables[i].type, run.variables[i][cell]) };
  };
  const changedCells = (variable: number) => (k > 0 && !run.atFailure && variable >= 0 ? run.marksOf(k, variable) : undefined);
  const marks = { all: changedCells(shown.all), left: changedCells(shown.left), right: changedCells(shown.right) };
  const cellOf = (id: number) => {
    const { cell, side } = nodes[id];
    return variables[shown[side]]?.extents.length === 2 ? shown.from * nodes.length + cell : cell;
  };
  const value = (id: number) => {
    const v = variables[shown[nodes[id].side]];
    return v ? number(v.type, run.variables[shown[nodes[id].side]][cellOf(id)]) : NaN;
  };
  const v = variables[shown.all];
  const isLength = v !== undefined && (LENGTHS.includes(v.name) || v.type === 'real');
  const most = isLength ? nodes.reduce((far, _, id) => (Number.isFinite(value(id)) ? Math.max(far, value(id)) : far), 1) : 1;

  const nodeLooks = nodes.map(({ cell, side }, id): NodeLook => {
    const variable = shown[side];
    const here = value(id);
    let [fill, ink] = SIDES[side];
    if (side === 'all' && Number.isFinite(here) && here >= 0) {
      const step = isLength ? Math.round((here / most) * (RAMP.length - 1)) : Math.floor(here) % GROUPS.length;
      fill = (isLength ? RAMP : GROUPS)[step];
      ink = inkOf(isLength, step);
    }
    const covers = side === 'left' ? certificate?.cover?.left.has(cell) : certificate?.cover?.right.has(cell);
    return {
      fill, ink, value: variable < 0 ? '' : text(variables[variable].type, run.variables[variable][cellOf(id)], 3),
      changed: marks[side]?.has(cellOf(id)) ?? false, covers: side !== 'all' && (covers ?? false),
    };
  });

  const touched = new Set(k === 0 ? [] : run.accessesOf(k).filter(({ variable }) => INDEXES.includes(variables[variable].name) && variables[variable].name !== 'offset').map(({ cell }) => cell));
  const match = values('match');
  const path = pathsFrom(run, network, shown);
  // Of spanning trees, the edge that each component chose.
  const [chosen, root] = [values('chosen'), values('root')];
  const picked = new Set(chosen && root ? nodes.flatMap(({ cell }) => (root.at(cell) === cell ? [chosen.at(cell)] : [])) : []);
  const edgeLooks = edges.map(({ from, to, cells }): EdgeLook => ({
    chosen: (shown.edges >= 0 && cells.some((cell) => run.variables[shown.edges][cell] > 0n))
      || (match !== null && nodes[from].side === 'left' && match.at(nodes[from].cell) === nodes[to].cell) || path.has(`${from} ${to}`) || path.has(`${to} ${from}`),
    picked: cells.some((cell) => picked.has(cell)),
    touched: cells.some((cell) => touched.has(cell)),
  }));

  const arrows = shown.arrows < 0 ? [] : nodes.flatMap(({ cell }, from): Arrow[] => {
    const to = Number(run.variables[shown.arrows][cell]);
    return to >= 0 && to < nodes.length && to !== from ? [{ from, to }] : [];
  });
  return { nodes: nodeLooks, edges: edgeLooks, arrows };
}

/** The edges of the paths that `next` describes, from the node whose distances are shown. */
function pathsFrom(run: Run, { nodes }: Network, shown: Shown): Set<string> {
  const next = run.summary.variables.findIndex(({ name, extents }) => name === 'next' && extents.length === 2 && extents[0] === nodes.length);
  const paths = new Set<string>();
  if (next < 0 || nodes.length > 200 || run.summary.variables[shown.all]?.extents.length !== 2) return paths;
  for (let to = 0; to < nodes.length; ++to) {
    for (let at = shown.from, steps = 0; at !== to && steps < nodes.length; ++steps) {
      const after = Number(run.variables[next][at * nodes.length + to]);
      if (after < 0 || after >= nodes.length) break;
      paths.add(`${at} ${after}`);
      at = after;
    }
  }
  return paths;
}
