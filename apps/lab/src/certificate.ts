/** What shows that the outputs of a finished run are right, without trust in the algorithm that made them. */
import { number, type Run } from './run';

export interface Certificate {
  holds: boolean;
  text: string;
  /** A vertex cover, by the cells of both sides. */
  cover?: { left: Set<number>; right: Set<number> };
}

const holds = (text: string): Certificate => ({ holds: true, text });
const fails = (text: string): Certificate => ({ holds: false, text });

/** The memory at the end by the names and roles of variables. */
class Memory {
  constructor(readonly run: Run) {}

  private at(name: string, dimensions: number): number {
    return this.run.summary.variables.findIndex((v) => v.name === name && v.extents.length === dimensions);
  }
  numbers(i: number, words = this.run.variables[i]): number[] {
    const { type } = this.run.summary.variables[i];
    return Array.from(words, (word) => number(type, word));
  }
  /** Nothing where there is no such array. */
  array(name: string, dimensions = 1): number[] | null {
    const i = this.at(name, dimensions);
    return i < 0 ? null : this.numbers(i);
  }
  scalar(name: string): number | null {
    const parameter = this.run.summary.parameters.find((p) => p.name === name);
    if (parameter) return Number(parameter.value);
    return this.array(name, 0)?.[0] ?? null;
  }
  /** Arrays of one dimension with this role. */
  lists(role: string): { name: string; index: number; before: number[]; after: number[] }[] {
    return this.run.summary.variables.flatMap(({ name, role: has, extents, type }, index) => (has !== role || extents.length !== 1 || type === 'bool' ? []
      : [{ name, index, before: this.numbers(index, this.run.initialOf(index)), after: this.numbers(index) }]));
  }
  name(v: number): string { return String(this.run.summary.labels[v] ?? v); }
}

function reduction(m: Memory): Certificate | null {
  const copies = m.array('copies');
  const value = m.scalar('value');
  if (copies && value !== null) {
    const wrong = copies.findIndex((copy) => copy !== value);
    return wrong < 0 ? holds(`All ${copies.length} cells hold ${value}.`) : fails(`copies[${wrong}] is ${copies[wrong]}, not ${value}.`);
  }
  const [numbers] = m.lists('input');
  if (!numbers) return null;
  const sum = m.scalar('sum');
  if (sum !== null) {
    const expected = numbers.after.reduce((a, b) => a + b, 0);
    return sum === expected ? holds(`Added one by one, the numbers give ${expected} too.`) : fails(`Added one by one, the numbers give ${expected}, not ${sum}.`);
  }
  const [greatest, place] = [m.scalar('greatest'), m.scalar('place')];
  if (greatest === null || place === null) return null;
  const first = numbers.after.findIndex((v) => v >= greatest);
  const exceeding = numbers.after.findIndex((v) => v > greatest);
  if (exceeding >= 0) return fails(`${numbers.name}[${exceeding}] = ${numbers.after[exceeding]} is greater than ${greatest}.`);
  return first === place ? holds(`No number is greater than ${greatest}, and ${numbers.name}[${place}] is the first that equals it.`)
    : fails(`The first ${greatest} is at ${first}, not at ${place}.`);
}

function prefixSums(m: Memory): Certificate | null {
  const [numbers] = m.lists('input');
  const [sums] = m.lists('output');
  if (!numbers || !sums || numbers.after.length !== sums.after.length) return null;
  const [a, s] = [numbers.after, sums.after];
  if (a.length === 0) return null;
  const first = m.array('first');
  const inclusive = s[0] === a[0] && (a[0] !== 0 || a.length < 2 || s[1] === a[0] + a[1] || first !== null);
  for (let i = 0; i < s.length; ++i) {
    const before = i === 0 || (first?.[i] ?? 0) !== 0 ? 0 : s[i - 1];
    const expected = inclusive ? before + a[i] : i === 0 ? 0 : s[i - 1] + a[i - 1];
    if (s[i] !== expected) return fails(`${sums.name}[${i}] is ${s[i]}; ${i === 0 ? `it should be ${expected}` : `after ${sums.name}[${i - 1}] = ${s[i - 1]} it should be ${expected}`}.`);
  }
  return holds(inclusive ? `Each sum is the one before it plus its own number${first ? ', or begins a segment' : ''}.` : 'Each sum is the one before it plus the number before.');
}

function sorting(m: Memory): Certificate | null {
  const [own] = m.lists('inout');
  const [made] = m.lists('output');
  const result = own ?? made;
  if (!result) return null;
  const given = own ? own.before : m.lists('input').flatMap(({ after }) => after);
  const after = result.after;
  for (let i = 1; i < after.length; ++i) {
    if (after[i - 1] > after[i]) return fails(`${result.name}[${i - 1}] = ${after[i - 1]} is greater than ${result.name}[${i}] = ${after[i]}.`);
  }
  const expected = given.slice().sort((a, b) => a - b);
  const wrong = expected.length === after.length ? expected.findIndex((v, i) => v !== after[i]) : 0;
  return wrong < 0 ? holds(`No number is greater than the next one, and the ${after.length} numbers are those of the input.`)
    : fails(`The numbers are not those of the input: there, ${expected[wrong]} is number ${wrong} in order.`);
}

const MOST_SQUARE = 400;

function distances(m: Memory): Certificate | null {
  const level = m.array('level');
  const [source, target] = [m.array('source'), m.array('target')];
  const root = m.scalar('root');
  if (level && source && target && root !== null) {
    if (level[root] !== 0) return fails(`The level of the root ${m.name(root)} is ${level[root]}, not 0.`);
    const entered = new Set<number>([root]);
    for (let e = 0; e < source.length; ++e) {
      const [from, to] = [level[source[e]], level[target[e]]];
      if (from >= 0 && (to < 0 || to > from + 1)) return fails(`The edge from ${m.name(source[e])} to ${m.name(target[e])} goes from level ${from} to ${to}.`);
      if (from >= 0 && to === from + 1) entered.add(target[e]);
    }
    const lost = level.findIndex((here, v) => here !== -1 && !entered.has(v));
    return lost < 0 ? holds('No edge skips a level, and each vertex has an edge from the level before.')
      : fails(`No edge comes to ${m.name(lost)} from the level before ${level[lost]}.`);
  }
  const [w, d, next] = [m.array('W', 2), m.array('D', 2), m.array('next', 2)];
  if (!w || !d) return null;
  const n = Math.round(Math.sqrt(d.length));
  if (n > MOST_SQUARE) return null;
  if ((m.scalar('negative') ?? 0) !== 0) {
    const v = Array.from({ length: n }, (_, i) => i).find((i) => d[i * n + i] < 0);
    return v === undefined ? fails('No vertex has a path of negative length to itself.') : holds(`${m.name(v)} has a path of length ${d[v * n + v]} to itself: a cycle of negative length.`);
  }
  const same = (a: number, b: number) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      const here = d[i * n + j];
      if (i === j && here !== 0) return fails(`The distance of ${m.name(i)} from itself is ${here}.`);
      for (let k = 0; k < n; ++k) {
        const over = d[i * n + k] + w[k * n + j];
        if (over < here && !same(over, here)) return fails(`The way from ${m.name(i)} to ${m.name(j)} over ${m.name(k)} has length ${over}, less than ${here}.`);
      }
      const step = next?.[i * n + j] ?? -1;
      if (!next || i === j || here === Infinity) continue;
      if (step < 0 || !same(w[i * n + step] + d[step * n + j], here)) return fails(`The path from ${m.name(i)} to ${m.name(j)} does not have length ${here}.`);
    }
  }
  return holds('No edge makes a distance shorter, and each distance is the length of its path.');
}

function matching(m: Memory): Certificate | null {
  const [offset, neighbour, match] = [m.array('offset'), m.array('neighbour'), m.array('match')];
  if (!offset || !neighbour || !match) return null;
  const of = (v: number) => neighbour.slice(offset[v], offset[v + 1]);
  const owner = new Map<number, number>();
  for (const [v, right] of match.entries()) {
    if (right < 0) continue;
    if (!of(v).includes(right)) return fails(`${m.name(v)} is matched with ${m.name(right)}, without an edge.`);
    if (owner.has(right)) return fails(`${m.name(right)} is matched twice.`);
    owner.set(right, v);
  }
  // König: what alternating paths reach from free vertices of the left.
  const [left, right] = [new Set<number>(), new Set<number>()];
  const open = match.flatMap((to, v) => (to < 0 && offset[v] < offset[v + 1] ? [v] : []));
  open.forEach((v) => left.add(v));
  for (let v = open.pop(); v !== undefined; v = open.pop()) {
    for (const to of of(v)) {
      if (right.has(to)) continue;
      right.add(to);
      const back = owner.get(to);
      if (back !== undefined && !left.has(back)) { left.add(back); open.push(back); }
    }
  }
  const cover = { left: new Set(match.flatMap((_, v) => (offset[v] < offset[v + 1] && !left.has(v) ? [v] : []))), right };
  const size = cover.left.size + cover.right.size;
  const missed = match.findIndex((_, v) => !cover.left.has(v) && of(v).some((to) => !cover.right.has(to)));
  if (missed >= 0 || size !== owner.size) return { ...fails(`A larger matching exists: ${size} vertices cover all edges, and only ${owner.size} pairs are matched.`), cover };
  return { ...holds(`${size} vertices (squares) touch every edge, so no matching has more than ${size} pairs; this one has ${owner.size}.`), cover };
}

/** The edges of a graph: lists, or the upper half of a symmetric matrix. */
function edgesOf(m: Memory): { a: number; b: number; weight: number; inTree: boolean }[] | null {
  const [source, target] = [m.array('source'), m.array('target')];
  if (source && target) {
    const [weight, tree] = [m.array('weight'), m.array('tree')];
    return source.map((a, e) => ({ a, b: target[e], weight: weight?.[e] ?? 1, inTree: (tree?.[e] ?? 0) > 0 }));
  }
  const edge = m.array('edge', 2);
  if (!edge) return null;
  const [weight, tree] = [m.array('weight', 2), m.array('tree', 2)];
  const n = Math.round(Math.sqrt(edge.length));
  return edge.flatMap((there, cell) => {
    const [a, b] = [Math.floor(cell / n), cell % n];
    return there !== 0 && a < b ? [{ a, b, weight: weight?.[cell] ?? 1, inTree: (tree?.[cell] ?? 0) > 0 || (tree?.[b * n + a] ?? 0) > 0 }] : [];
  });
}

/** Sets that grow together; `join` is false where both are in one already. */
export class Sets {
  private readonly parent: number[];
  constructor(n: number) { this.parent = Array.from({ length: n }, (_, i) => i); }
  find(v: number): number {
    while (this.parent[v] !== v) v = this.parent[v] = this.parent[this.parent[v]];
    return v;
  }
  join(a: number, b: number): boolean {
    [a, b] = [this.find(a), this.find(b)];
    this.parent[a] = b;
    return a !== b;
  }
}

function components(m: Memory): Certificate | null {
  const label = m.array('label');
  const edges = edgesOf(m);
  if (!label || !edges) return null;
  const sets = new Sets(label.length);
  let count = label.length;
  for (const { a, b } of edges) {
    if (label[a] !== label[b]) return fails(`The edge of ${m.name(a)} and ${m.name(b)} joins labels ${label[a]} and ${label[b]}.`);
    if (sets.join(a, b)) --count;
  }
  const wrong = label.findIndex((l, v) => label[l] !== l || l > v);
  if (wrong >= 0) return fails(`The label of ${m.name(wrong)} is not the least vertex of its component.`);
  const labels = new Set(label).size;
  return labels === count ? holds(`Every edge stays within one label, and the edges leave ${count} ${count === 1 ? 'component' : 'components'}, as many as labels.`)
    : fails(`The edges leave ${count} components, but there are ${labels} labels.`);
}

function spanningTree(m: Memory): Certificate | null {
  const edges = edgesOf(m);
  const n = m.array('root')?.length ?? m.scalar('n');
  if (!edges || n === null || !m.run.summary.variables.some(({ name }) => name === 'tree')) return null;
  const [matrix, tree] = [m.array('edge', 2), m.array('tree', 2)];
  const odd = tree?.findIndex((here, cell) => here !== 0 && (matrix?.[cell] === 0 || here !== tree[(cell % n) * n + Math.floor(cell / n)])) ?? -1;
  if (odd >= 0) return fails(`tree[${Math.floor(odd / n)}, ${odd % n}] is set in one direction only, or without an edge.`);
  const [forest, all] = [new Sets(n), new Sets(n)];
  const near = Array.from({ length: n }, (): { to: number; weight: number }[] => []);
  let [weight, chosen, joins] = [0, 0, 0];
  for (const { a, b, weight: w, inTree } of edges) {
    if (all.join(a, b)) ++joins;
    if (!inTree) continue;
    if (!forest.join(a, b)) return fails(`The edge of ${m.name(a)} and ${m.name(b)} closes a cycle.`);
    near[a].push({ to: b, weight: w });
    near[b].push({ to: a, weight: w });
    weight += w;
    ++chosen;
  }
  if (chosen !== joins) return fails(`The forest has ${chosen} edges; a spanning one has ${joins}.`);
  // Of each vertex its parent, depth and the weight of the edge to it.
  const up = Array.from({ length: n }, () => ({ parent: -1, depth: -1, weight: 0 }));
  for (let root = 0; root < n; ++root) {
    if (up[root].depth >= 0) continue;
    up[root].depth = 0;
    for (const open = [root]; open.length > 0;) {
      const v = open.pop()!;
      for (const { to, weight: w } of near[v]) {
        if (up[to].depth >= 0) continue;
        up[to] = { parent: v, depth: up[v].depth + 1, weight: w };
        open.push(to);
      }
    }
  }
  for (const { a, b, weight: w, inTree } of edges) {
    if (inTree) continue;
    for (let [x, y] = [a, b]; x !== y;) {
      if (up[x].depth < up[y].depth) [x, y] = [y, x];
      if (up[x].weight > w) return fails(`The edge of ${m.name(a)} and ${m.name(b)} (${w}) is lighter than one of the forest between them (${up[x].weight}).`);
      x = up[x].parent;
    }
  }
  return holds(`${chosen} edges of weight ${weight} join all that can be joined, and every other edge is a heaviest one of the cycle that it would close.`);
}

function listsAndTrees(m: Memory): Certificate | null {
  const [next, rank] = [m.array('next'), m.array('rank')];
  if (next && rank) {
    const wrong = next.findIndex((to, v) => rank[v] !== (to < 0 ? 0 : rank[to] + 1));
    return wrong < 0 ? holds('The last element has rank 0, every other one the rank of its next element plus 1.') : fails(`rank[${wrong}] is ${rank[wrong]}, which does not fit its next element.`);
  }
  const [parent, depth] = [m.array('parent'), m.array('depth')];
  if (!parent || !depth) return null;
  const wrong = parent.findIndex((up, v) => depth[v] !== (up === v ? 0 : depth[up] + 1));
  return wrong < 0 ? holds('The root has depth 0, every other vertex the depth of its parent plus 1.') : fails(`depth[${m.name(wrong)}] is ${depth[wrong]}, which does not fit its parent.`);
}

function matrices(m: Memory): Certificate | null {
  const [a, b, c] = [m.array('A', 2), m.array('B', 2), m.array('C', 2)];
  const extents = (name: string) => m.run.summary.variables.find((v) => v.name === name)?.extents ?? [];
  if (!a || !b || !c) return null;
  const [rows, inner] = extents('A');
  const columns = extents('B')[1];
  // Freivalds: both sides times one vector.
  const times = (matrix: number[], height: number, width: number, x: number[]) =>
    Array.from({ length: height }, (_, i) => x.reduce((sum, value, j) => sum + matrix[i * width + j] * value, 0));
  const x = Array.from({ length: columns }, (_, j) => 1 + ((j * 7919) % 101));
  const expected = times(a, rows, inner, times(b, inner, columns, x));
  const wrong = times(c, rows, columns, x).findIndex((value, i) => !(Math.abs(value - expected[i]) <= 1e-9 * Math.max(1, Math.abs(expected[i]))));
  return wrong < 0 ? holds('A (B x) = C x for a vector x of different numbers (Freivalds).') : fails(`A (B x) and C x differ in row ${wrong} for a vector x (Freivalds).`);
}

const CHECKS: Record<string, (m: Memory) => Certificate | null> = {
  Reduction: reduction, 'Prefix sums': prefixSums, Sort: sorting, Distances: distances, Matching: matching, Components: components,
  'Spanning tree': spanningTree, 'Lists and trees': listsAndTrees, Matrices: matrices,
};

/** More would keep the page waiting. */
const MOST_CELLS = 500_000;

/** The certificate of a run that stands at its end; nothing where the problem or its variables are others. */
export function certificateOf(problem: string, run: Run): Certificate | null {
  if (run.position !== run.done || run.summary.end.kind !== 'done') return null;
  if (run.variables.reduce((cells, words) => cells + words.length, 0) > MOST_CELLS) return null;
  return CHECKS[problem]?.(new Memory(run)) ?? null;
}
