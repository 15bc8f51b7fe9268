import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../src/engine';
import { graphEdit, sectionsOf, type GraphKind, type Side } from '../src/graph_text';
import { random } from '../src/inputs';
import { Run } from '../src/run';
import { networkOf } from '../src/views/graph/network';
import { engine } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

/** A program that takes a graph as each kind of picture has it. */
const PROGRAMS: Record<GraphKind, { inputs: string[]; text: string }> = {
  plain: { inputs: ['n', 'source', 'target'], text: 'mode CREW\ninput n : int\ninput source[m] : int\ninput target[m] : int\noutput x[n] : int\n' },
  both: { inputs: ['W'], text: 'mode CREW\ninput W[n, n] : real\noutput x : int\n' },
  sided: { inputs: ['offset', 'neighbour', 'right'], text: 'mode CREW\ninput offset[k] : int\ninput neighbour[m] : int\ninput right : int\noutput x : int\n' },
  tree: { inputs: ['parent'], text: 'mode CREW\ninput parent[n] : int\noutput x : int\n' },
};

/** What the picture has of a text: names of nodes, and of edges' ends. */
function picture(kind: GraphKind, input: string): { nodes: string[]; edges: string[] } {
  const network = networkOf(new Run(lab.run(PROGRAMS[kind].text, input, 10, 10)))!;
  const name = (i: number) => network.nodes[i].name;
  const edge = (from: string, to: string) => (kind === 'sided' || from < to ? `${from}-${to}` : `${to}-${from}`);
  return {
    nodes: network.nodes.map(({ name: node, side }) => (side === 'all' ? node : `${side} ${node}`)).sort(),
    edges: network.edges.map(({ from, to }) => edge(name(from), name(to))).sort(),
  };
}

/** The same graph as sets, changed without a text. */
class Model {
  readonly nodes = new Set<number>();
  edges: [number, number][] = [];
  constructor(readonly kind: GraphKind) {}
  joined = (a: number, b: number) => this.edges.some(([x, y]) => (x === a && y === b) || (this.kind !== 'sided' && x === b && y === a));
  shown(): { nodes: string[]; edges: string[] } {
    const edges = this.edges.map(([a, b]) => (this.kind === 'sided' || String(a) < String(b) ? `${a}-${b}` : `${b}-${a}`));
    const nodes = this.kind === 'sided' ? [...new Set(this.edges.map(([a]) => `left ${a}`)), ...new Set(this.edges.map(([, b]) => `right ${b}`))] : [...this.nodes].map(String);
    return { nodes: nodes.sort(), edges: [...new Set(edges)].sort() };
  }
}

/** A random graph, and its text in a random format. */
function start(kind: GraphKind, next: (bound: number) => number): { model: Model; text: string } {
  const model = new Model(kind);
  const n = 2 + next(7);
  const scale = 1 + next(3);  // numbers with gaps
  for (let i = 0; i < n; ++i) {
    const from = scale * i;
    for (let tries = next(3); tries >= 0; --tries) {
      const to = scale * (kind === 'tree' ? next(i + 1) : next(n));
      if (model.joined(from, to) || (from === to && kind !== 'sided') || (kind === 'tree' && model.edges.some(([child]) => child === from))) continue;
      model.edges.push([from, to]);
    }
  }
  if (kind === 'sided' && model.edges.length === 0) model.edges.push([0, scale]);
  for (let i = 0; i < n; ++i) model.nodes.add(scale * i);
  const alone = kind === 'sided' ? [] : [...model.nodes].filter((node) => !model.edges.some((edge) => edge.includes(node)));
  const all = kind === 'both' ? model.edges.flatMap(([a, b]) => [[a, b], [b, a]]) : model.edges;
  const form = next(3);
  if (form === 0) {
    const own = new Map<number, number[]>();
    alone.forEach((node) => own.set(node, []));
    all.forEach(([a, b]) => own.set(a, [...(own.get(a) ?? []), b]));
    return { model, text: [...own].map(([node, list]) => `${node} : ${list.join(' ')}`).join('\n') };
  }
  if (form === 1 && scale === 1 && kind !== 'sided' && kind !== 'both') {
    const entries = all.map(([a, b]) => `${a + 1} ${b + 1}`);
    return { model, text: `%%MatrixMarket matrix coordinate pattern general\n% made\n${n} ${n} ${entries.length}\n${entries.join('\n')}` };
  }
  const weight = next(2) === 0 ? '' : ' 4';
  return { model, text: ['# a comment', ...all.map(([a, b]) => `${a} ${b}${weight}`), ...alone.map((v) => `${v}, ${v}${weight}`)].join('\n') };
}

describe('texts and pictures of 1,000 random graphs stay the same under random edits', () => {
  for (const kind of ['plain', 'both', 'sided', 'tree'] as const) {
    it(kind, { timeout: 60_000 }, () => {
      const refused = { edits: 0, no: 0 };
      for (let seed = 1; seed <= 250; ++seed) {
        const next = random(seed * 31 + kind.length);
        const { model, text } = start(kind, next);
        let input = next(2) === 0 ? text : `graph =\n${text}`;
        expect(picture(kind, input), input).toEqual(model.shown());
        for (let edits = 0; edits < 6; ++edits) {
          const edit = graphEdit(input, PROGRAMS[kind].inputs)!;
          const nodes = [...model.nodes];
          const [a, b] = [nodes[next(nodes.length)], nodes[next(nodes.length)]];
          const choice = next(4);
          ++refused.edits;
          if (choice === 0 && kind !== 'sided') {
            model.nodes.add(edit.free);
            edit.addNode(edit.free);
          } else if (choice <= 1) {
            const cycle = kind === 'tree' && reaches(model, b, a);
            const no = model.joined(a, b) || (a === b && kind !== 'sided') || cycle;
            expect(edit.addEdge(a, b) !== null, `${a} to ${b} in\n${input}`).toBe(no);
            if (no) { ++refused.no; continue; }
            if (kind === 'tree') model.edges = model.edges.filter(([child]) => child !== a);
            model.edges.push([a, b]);
          } else if (choice === 2 && model.edges.length > 1) {
            const [x, y] = model.edges[next(model.edges.length)];
            model.edges = model.edges.filter(([from, to]) => !((from === x && to === y) || (kind !== 'sided' && from === y && to === x)));
            edit.removeEdge(x, y);
          } else if (nodes.length > 2) {
            const side: Side = kind !== 'sided' ? 'all' : next(2) === 0 ? 'left' : 'right';
            const rest = model.edges.filter(([from, to]) => (side === 'left' ? from !== a : side === 'right' ? to !== a : from !== a && to !== a));
            if (rest.length === 0 && kind === 'sided') continue;
            model.edges = rest;
            if (kind !== 'sided') model.nodes.delete(a);
            edit.removeNode(a, side);
          }
          input = edit.toString();
          expect(picture(kind, input), input).toEqual(model.shown());
        }
      }
      expect(refused.no).toBeLessThan(refused.edits / 2);
    });
  }
});

/** Whether the parents of `from` lead to `to`. */
function reaches(model: Model, from: number, to: number): boolean {
  for (let at: number | undefined = from; at !== undefined; at = model.edges.find(([child]) => child === at)?.[1]) if (at === to) return true;
  return false;
}

it('edits change no other line, and no other input', () => {
  const input = 'root = 0\ngraph =\n# roads\n0 1  7\n\n1 2  3\nother = 5';
  const edit = graphEdit(input, ['n', 'root', 'source', 'target', 'weight'])!;
  edit.addNode(9);
  expect(edit.addEdge(0, 2)).toBeNull();
  expect(edit.toString()).toBe('root = 0\ngraph =\n# roads\n0 1  7\n\n1 2  3\n9 9 1\n0 2 1\nother = 5');
  expect(sectionsOf(input).map(({ name }) => name)).toEqual(['root', 'graph', 'other']);
});

it('lists are edited as pointers', () => {
  const edit = graphEdit('next = 1 2 -1', ['next'])!;
  expect(edit.addEdge(2, 0)).toMatch(/cycle/);
  edit.addNode(3);
  expect(edit.addEdge(2, 3)).toBeNull();
  expect(edit.toString()).toBe('next = 1 2 3 -1');
  edit.removeNode(1, 'all');
  expect(edit.toString()).toBe('next = 1 2 -1');
  edit.removeEdge(0, 1);
  expect(edit.toString()).toBe('next = -1 2 -1');
});

it('other inputs have no graph to edit', () => {
  expect(graphEdit('A = 1 2', ['A'])).toBeNull();
  expect(graphEdit('source = 0\ntarget = 1', ['n', 'source', 'target'])).toBeNull();
});
