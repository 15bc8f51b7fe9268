/** Where nodes stand: pushed apart by forces, or in columns, levels or a line. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation, type SimulationLinkDatum, type SimulationNodeDatum } from 'd3-force';
import type { Network } from './network';

export interface Spot extends SimulationNodeDatum { x: number; y: number }
export type LayoutName = 'force' | 'sides' | 'tree' | 'line';
export const LAYOUTS: [LayoutName, string][] = [['force', 'Forces'], ['sides', 'Two sides'], ['tree', 'Tree'], ['line', 'Line']];

const GAP = 58;
/** Neighbours of each node, both ways. */
function near({ nodes, edges }: Network): number[][] {
  const lists = nodes.map((): number[] => []);
  for (const { from, to } of edges) {
    lists[from].push(to);
    lists[to].push(from);
  }
  return lists;
}

/** Breadth first from `first`, then from what is not reached: each node's parent and depth. */
function search(network: Network, first: number): { order: number[]; parent: number[]; depth: number[] } {
  const lists = near(network);
  const parent = network.nodes.map(() => -1);
  const depth = network.nodes.map(() => -1);
  const order: number[] = [];
  for (const root of [first, ...network.nodes.keys()]) {
    if (depth[root] !== -1) continue;
    depth[root] = 0;
    order.push(root);
    for (let at = order.length - 1; at < order.length; ++at) {
      for (const to of lists[order[at]]) {
        if (depth[to] !== -1) continue;
        depth[to] = depth[order[at]] + 1;
        parent[to] = order[at];
        order.push(to);
      }
    }
  }
  return { order, parent, depth };
}

/** Two columns: the sides of the input, or nodes of even and odd depth. */
function sides(network: Network): Spot[] {
  const sided = network.nodes.some(({ side }) => side !== 'all');
  const { depth } = search(network, 0);
  const left = network.nodes.map(({ side }, i) => (sided ? side === 'left' : depth[i] % 2 === 0));
  const counts = [left.filter((is) => is).length, left.filter((is) => !is).length];
  const width = Math.max(160, Math.max(...counts) * 14);
  const next = [0, 0];
  return left.map((is) => {
    const column = is ? 0 : 1;
    return { x: is ? -width : width, y: (next[column]++ - (counts[column] - 1) / 2) * GAP };
  });
}

/** Levels below the root; a parent stands above the middle of its children. */
function tree(network: Network, first: number): Spot[] {
  const { order, parent, depth } = search(network, first);
  const children = network.nodes.map((): number[] => []);
  order.forEach((v) => { if (parent[v] >= 0) children[parent[v]].push(v); });
  const spots = network.nodes.map((_, i): Spot => ({ x: NaN, y: depth[i] * 78 }));
  let leaves = 0;
  const place = (root: number) => {
    for (const open = [root]; open.length > 0;) {
      const v = open[open.length - 1];
      const child = children[v].find((c) => Number.isNaN(spots[c].x));
      if (child !== undefined) { open.push(child); continue; }
      const xs = children[v].map((c) => spots[c].x);
      spots[v].x = xs.length === 0 ? leaves++ * GAP : (xs[0] + xs[xs.length - 1]) / 2;
      open.pop();
    }
  };
  order.forEach((v) => { if (parent[v] < 0) place(v); });
  return spots;
}

/** One after the other as the pointers lead; else by their numbers. */
function line({ nodes, edges, pointers }: Network): Spot[] {
  const next = nodes.map(() => -1);
  const entered = nodes.map(() => false);
  if (pointers) edges.forEach(({ from, to }) => { next[from] = to; entered[to] = true; });
  const spots: (Spot | undefined)[] = nodes.map(() => undefined);
  let count = 0;
  const starts = [...nodes.keys()].filter((v) => !entered[v]);
  for (const start of [...starts, ...nodes.keys()]) {
    for (let v = start; v >= 0 && !spots[v]; v = pointers ? next[v] : -1) spots[v] = { x: count++ * GAP, y: 0 };
  }
  return spots as Spot[];
}

export function placed(network: Network, layout: LayoutName, first: number): Spot[] {
  switch (layout) {
    case 'sides': return sides(network);
    case 'tree': return tree(network, first);
    case 'line': return line(network);
    case 'force': {
      // Neighbours begin close to each other: along a spiral in the order of a search.
      const spots: Spot[] = network.nodes.map(() => ({ x: 0, y: 0 }));
      search(network, first).order.forEach((v, i) => {
        const [radius, angle] = [22 * Math.sqrt(i + 0.5), i * Math.PI * (3 - Math.sqrt(5))];
        spots[v].x = radius * Math.cos(angle);
        spots[v].y = radius * Math.sin(angle);
      });
      return spots;
    }
  }
}

/** Forces on nodes; `wake` sets them going, and each frame moves on for a few milliseconds. */
export class Forces {
  private readonly simulation: Simulation<Spot, SimulationLinkDatum<Spot>>;
  private frame = 0;
  frozen = false;

  constructor(spots: Spot[], network: Network, private readonly moved: () => void) {
    const many = spots.length > 1000;
    const links = network.edges.map(({ from, to }) => ({ source: spots[from], target: spots[to] }));
    this.simulation = forceSimulation<Spot>(spots)
      .force('link', forceLink<Spot, SimulationLinkDatum<Spot>>(links).distance(many ? 40 : 70).strength(0.5))
      .force('charge', forceManyBody().strength(spots.length > 400 ? -60 : -260).distanceMax(many ? 300 : 600).theta(many ? 1.3 : 0.9))
      .force('x', forceX(0).strength(0.04)).force('y', forceY(0).strength(0.06))
      .stop();
    if (!many) this.simulation.force('collide', forceCollide(22));
  }

  /** Ticks at once until calm, or for `milliseconds`. */
  settle(alpha: number, milliseconds: number): void {
    this.simulation.alpha(alpha);
    const until = performance.now() + milliseconds;
    while (this.simulation.alpha() > this.simulation.alphaMin() && performance.now() < until) this.simulation.tick();
  }

  wake(alpha: number, target = 0): void {
    this.simulation.alphaTarget(target).alpha(Math.max(alpha, this.simulation.alpha()));
    if (this.frame === 0 && !this.frozen) this.frame = requestAnimationFrame(() => this.run());
  }
  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private run(): void {
    this.simulation.tick();
    this.moved();
    const goes = this.simulation.alpha() > Math.max(this.simulation.alphaMin(), 0.01) || this.simulation.alphaTarget() > 0;
    this.frame = goes && !this.frozen ? requestAnimationFrame(() => this.run()) : 0;
  }
}
