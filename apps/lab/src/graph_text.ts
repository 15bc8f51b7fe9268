/** The graph of the Input box as the picture edits it: an edit changes the lines that it concerns and no other. */

/** Where the values of an input stand: "NAME = values" up to the next such line. */
export interface Section { name: string; from: number; to: number }

export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let at = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const named = /^[ \t]*([A-Za-z_]\w*)[ \t]*=/.exec(line);
    if (named || (sections.length === 0 && line.trim() !== '')) {
      sections.push({ name: named?.[1] ?? '', from: at + (named?.[0].length ?? 0), to: 0 });
    }
    at += line.length;
    if (sections.length > 0) sections[sections.length - 1].to = at;
  }
  return sections;
}

/** What an edge means: one line for both directions, a line for each, left to right, child to parent. */
export type GraphKind = 'plain' | 'both' | 'sided' | 'tree';
export type Side = 'all' | 'left' | 'right';
export interface TextEdge { from: number; to: number; weight?: string }

/** A graph whose nodes and edges can be changed. Nodes have the numbers that the text gives them. */
export interface GraphEdit {
  /** A number that no node has. */
  readonly free: number;
  /** Without effect where a node needs an edge to be there. */
  addNode(node: number): void;
  /** Says why not. */
  addEdge(from: number, to: number): string | null;
  removeEdge(from: number, to: number): void;
  removeNode(node: number, side: Side): void;
  /** The whole Input. */
  toString(): string;
}

/** Nothing where the input is not written as a graph. */
export function graphEdit(input: string, inputs: string[]): GraphEdit | null {
  const sections = sectionsOf(input);
  const graph = sections.find(({ name }) => name === 'graph' || name === '');
  const has = (name: string) => inputs.includes(name);
  if (has('next') && !has('source')) {
    const next = sections.find(({ name }) => name === 'next') ?? (inputs.length === 1 ? graph : undefined);
    return next ? new ListText(input, next) : null;
  }
  const kind: GraphKind | null = has('parent') ? 'tree' : has('offset') ? 'sided' : has('W') ? 'both' : has('source') || has('edge') ? 'plain' : null;
  if (!graph || !kind) return null;
  return new GraphText(input, graph, kind, has('W') || has('weight'));
}

const words = (line: string): string[] => (/^\s*[#%]/.test(line) ? [] : line.replaceAll(':', ' : ').split(/[\s,]+/).filter((word) => word !== ''));

/** Lines "source target [weight]" or "v : u w"; Matrix Market becomes such lines. */
export class GraphText implements GraphEdit {
  private lines: string[];
  private readonly neighbours: boolean;
  private readonly weighted: boolean;

  constructor(private readonly input: string, private readonly section: Section, private readonly kind: GraphKind, weights = false) {
    const text = input.slice(section.from, section.to);
    this.lines = (text.trimStart().startsWith('%%MatrixMarket') ? fromMatrixMarket(text.trim()) : text).replace(/\n$/, '').split('\n');
    const first = this.lines.map(words).find((line) => line.length > 0);
    this.neighbours = first?.[1] === ':';
    this.weighted = first ? first.length === 3 && !this.neighbours : weights;
  }

  get edges(): TextEdge[] { return this.lines.flatMap((line) => this.edgesOf(line)); }
  get nodes(): Set<number> { return new Set(this.lines.flatMap(words).length === 0 ? [] : this.lines.flatMap((line) => this.named(line))); }
  get free(): number { return Math.max(-1, ...this.nodes) + 1; }

  addNode(node: number): void {
    if (this.kind === 'sided' || this.nodes.has(node)) return;
    this.lines.push(this.neighbours ? `${node} :` : this.lineOf(node, node));
  }

  addEdge(from: number, to: number): string | null {
    const there = this.edges.some((edge) => (edge.from === from && edge.to === to) || (this.kind !== 'sided' && edge.from === to && edge.to === from));
    if (there) return 'There is an edge already.';
    if (from === to && this.kind !== 'sided') return 'An edge joins two different nodes.';
    const before = this.nodes;
    if (this.kind === 'tree') {
      for (let at: number | undefined = to; at !== undefined; at = this.parent(at)) {
        if (at === from) return 'The edge would close a cycle, which no tree has.';
      }
      this.keep((edge) => edge.from !== from);
    }
    // A loop stood for a node without edges.
    if (this.kind !== 'sided') this.keep((edge) => edge.from !== edge.to || (edge.from !== from && edge.to !== to));
    this.insert(from, to);
    if (this.kind === 'both') this.insert(to, from);
    before.forEach((node) => this.addNode(node));
    return null;
  }

  removeEdge(from: number, to: number): void {
    this.keep((edge) => !(edge.from === from && edge.to === to) && (this.kind === 'sided' || !(edge.from === to && edge.to === from)));
    this.addNode(from);
    this.addNode(to);
  }

  removeNode(node: number, side: Side): void {
    const before = this.nodes;
    if (this.neighbours && side !== 'right') this.lines = this.lines.filter((line) => words(line)[0] !== String(node) || words(line)[1] !== ':');
    this.keep(({ from, to }) => (side === 'right' ? to !== node : side === 'left' ? from !== node : from !== node && to !== node));
    before.forEach((other) => { if (other !== node) this.addNode(other); });
  }

  toString(): string {
    const before = this.input.slice(0, this.section.from);
    const lines = this.lines.join('\n');
    const apart = before.endsWith('=') && !lines.startsWith('\n') ? '\n' : '';
    const after = this.input.slice(this.section.to);
    return `${before}${apart}${lines}${after === '' ? '' : `\n${after}`}`;
  }

  private parent(node: number): number | undefined { return this.edges.find(({ from, to }) => from === node && to !== node)?.to; }

  private named(line: string): number[] {
    const list = words(line);
    return list.length === 0 ? [] : this.neighbours ? [list[0], ...list.slice(2)].map(Number) : list.slice(0, 2).map(Number);
  }

  private edgesOf(line: string): TextEdge[] {
    const list = words(line);
    if (list.length < 2) return [];
    if (this.neighbours) return list.slice(2).map((to) => ({ from: Number(list[0]), to: Number(to) }));
    return [{ from: Number(list[0]), to: Number(list[1]), weight: list[2] }];
  }

  private lineOf(from: number, to: number): string { return this.weighted ? `${from} ${to} 1` : `${from} ${to}`; }

  private insert(from: number, to: number): void {
    if (!this.neighbours) { this.lines.push(this.lineOf(from, to)); return; }
    const own = this.lines.findIndex((line) => words(line)[1] === ':' && Number(words(line)[0]) === from);
    if (own >= 0) this.lines[own] = `${this.lines[own].trimEnd()} ${to}`;
    else this.lines.push(`${from} : ${to}`);
  }

  /** Drops the edges that `stays` rejects; lines without a rejected edge are left as they are. */
  private keep(stays: (edge: TextEdge) => boolean): void {
    this.lines = this.lines.flatMap((line) => {
      const edges = this.edgesOf(line);
      if (edges.every(stays)) return [line];
      if (!this.neighbours) return [];
      return [[`${words(line)[0]} :`, ...edges.filter(stays).map(({ to }) => to)].join(' ')];
    });
  }
}

/** A stored entry (i, j) becomes the edge "i-1 j-1", a vertex without one a loop. */
function fromMatrixMarket(text: string): string {
  const [header, ...rest] = text.split('\n');
  const [, , , field, symmetry] = header.toLowerCase().split(/\s+/);
  const [size, ...entries] = rest.map(words).filter((line) => line.length > 0);
  const named = new Set<number>();
  const weight = (value: string, back: boolean) => (field === 'pattern' ? '' : ` ${back && symmetry === 'skew-symmetric' ? -Number(value) : value}`);
  const lines = entries.flatMap(([i, j, value]) => {
    const [from, to] = [Number(i) - 1, Number(j) - 1];
    named.add(from).add(to);
    const way = `${from} ${to}${weight(value, false)}`;
    return symmetry === 'general' || from === to ? [way] : [way, `${to} ${from}${weight(value, true)}`];
  });
  const vertices = Math.max(Number(size?.[0] ?? 0), Number(size?.[1] ?? 0));
  for (let v = 0; v < vertices; ++v) if (!named.has(v)) lines.push(`${v} ${v}${field === 'pattern' ? '' : ' 1'}`);
  return lines.join('\n');
}

/** "next = 3 -1 1": a node is an index, its edge goes to the next one. */
class ListText implements GraphEdit {
  private next: number[];

  constructor(private readonly input: string, private readonly section: Section) {
    this.next = words(input.slice(section.from, section.to)).map(Number);
  }

  get free(): number { return this.next.length; }
  addNode(node: number): void { if (node === this.free) this.next.push(-1); }
  addEdge(from: number, to: number): string | null {
    for (let at = to; at >= 0; at = this.next[at]) if (at === from) return 'The edge would close a cycle, and a list has an end.';
    // One element has one predecessor.
    this.next = this.next.map((other) => (other === to ? -1 : other));
    this.next[from] = to;
    return null;
  }
  removeEdge(from: number, to: number): void {
    if (this.next[from] === to) this.next[from] = -1;
    else if (this.next[to] === from) this.next[to] = -1;
  }
  /** The list goes on where the removed element led. */
  removeNode(node: number): void {
    const after = this.next[node];
    this.next = this.next.map((to) => (to === node ? after : to)).filter((_, i) => i !== node).map((to) => (to > node ? to - 1 : to));
  }
  toString(): string {
    const after = this.input.slice(this.section.to);
    return `${this.input.slice(0, this.section.from)} ${this.next.join(' ')}${after === '' ? '' : `\n${after}`}`.trimStart();
  }
}
