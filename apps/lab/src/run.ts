/** A recorded run and where in it the page is: `seek` goes forwards and backwards for what the steps changed. */
import type { Recorded, Summary, ValueType } from './types';

const FIELDS = 10;
const PRIVATE = 0x80000000;
const NO_BLOCK = 0xffffffff;

export interface Step {
  line: number; column: number; length: number;
  test: boolean;
  block: number | null;
  processors: number;
  active: number;
}

export interface Access { write: boolean; variable: number; cell: number; processor: number }
export interface Change { private: boolean; index: number; cell: number; before: bigint; after: bigint }

const real = new DataView(new ArrayBuffer(8));

/** The number that a word stands for. */
export function number(type: ValueType, word: bigint): number {
  if (type !== 'real') return Number(word);
  real.setBigInt64(0, word);
  return real.getFloat64(0);
}

/** The numbers of many words, without a BigInt for each: a million take milliseconds. */
export function numbersOf(type: ValueType, words: BigInt64Array): (i: number) => number {
  if (type === 'real') {
    const reals = new Float64Array(words.buffer, words.byteOffset, words.length);
    return (i) => reals[i];
  }
  const halves = halvesOf(words);
  return (i) => halves[2 * i + 1] * 4294967296 + (halves[2 * i] >>> 0);
}

const halvesOf = (words: BigInt64Array): Int32Array => new Int32Array(words.buffer, words.byteOffset, 2 * words.length);

/** Some cells of a variable. */
export interface Marks { has(cell: number): boolean }

/** The value as people read it: at most `digits` significant digits of a real. */
export function text(type: ValueType, word: bigint, digits = 6): string {
  if (type === 'bool') return word !== 0n ? 'true' : 'false';
  if (type !== 'real') return word.toString();
  const value = number(type, word);
  if (value === Infinity) return '∞';
  if (value === -Infinity) return '−∞';
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : String(Number(value.toPrecision(digits)));
}

/** An array as a step left it. */
export interface State { step: number; cells: BigInt64Array; changed: Marks | undefined }

export class Run {
  readonly summary: Summary;
  /** Steps that were done; with `failed` one more position shows the step that failed. */
  readonly done: number;
  readonly failed: boolean;
  /** Of each variable, the current cells. */
  readonly variables: BigInt64Array[] = [];
  /** Of each private variable, a value for each processor of its block. */
  readonly privates: BigInt64Array[];
  position = 0;
  /** Of each variable, the steps that changed it, ascending. */
  readonly changes: number[][];
  private readonly most = new Map<number, number>();
  /** Of steps and variables, what `marksOf` found at the current position. */
  private readonly marks = new Map<string, Marks | undefined>();
  /** The same words as pairs of 32 bits, which are copied faster. */
  private readonly halves: { variables: Int32Array[]; privates: Int32Array[]; before: Int32Array; after: Int32Array };
  private readonly a: Recorded['arrays'];

  constructor(recorded: Recorded) {
    this.summary = recorded.summary;
    this.a = recorded.arrays;
    this.failed = this.summary.end.kind === 'error';
    this.done = this.a.steps.length / FIELDS - (this.failed ? 1 : 0);
    let at = 0;
    for (const { extents } of this.summary.variables) {
      const cells = extents.reduce((a, b) => a * b, 1);
      this.variables.push(this.a.initial.slice(at, at + cells));
      at += cells;
    }
    const processors = new Map<number, number>([[NO_BLOCK, 1]]);
    for (let field = 4; field < this.a.steps.length; field += FIELDS) {
      processors.set(this.a.steps[field], Math.max(processors.get(this.a.steps[field]) ?? 0, this.a.steps[field + 1]));
    }
    this.privates = this.summary.privates.map(({ block }) => new BigInt64Array(processors.get(block ?? NO_BLOCK) ?? 0));
    this.halves = { variables: this.variables.map(halvesOf), privates: this.privates.map(halvesOf), before: halvesOf(this.a.before), after: halvesOf(this.a.after) };
    this.changes = this.summary.variables.map(() => []);
    for (let k = 1; k <= this.done; ++k) {
      const [begin, end] = this.range(k, 7);
      for (let i = begin; i < end; ++i) {
        const index = this.a.changed[2 * i];
        const steps = this.changes[index];
        if (steps && steps[steps.length - 1] !== k) steps.push(k);
      }
    }
  }

  /** The last position. */
  get end(): number { return this.done + (this.failed ? 1 : 0); }
  /** Whether the page shows the step that failed. */
  get atFailure(): boolean { return this.failed && this.position === this.end; }

  /** The cells of a variable before the first step. */
  initialOf(variable: number): BigInt64Array {
    const sizes = this.variables.map((words) => words.length);
    const from = sizes.slice(0, variable).reduce((a, b) => a + b, 0);
    return this.a.initial.subarray(from, from + sizes[variable]);
  }
  /** Step k, from 1. */
  step(k: number): Step {
    const at = (k - 1) * FIELDS;
    const s = this.a.steps;
    return {
      line: s[at], column: s[at + 1], length: s[at + 2], test: s[at + 3] === 1,
      block: s[at + 4] === NO_BLOCK ? null : s[at + 4], processors: s[at + 5], active: s[at + 6],
    };
  }
  /** The first step after the current one that runs `line`, around the end; 0: none does. */
  nextOn(line: number): number {
    for (let i = 1; i <= this.end; ++i) {
      const k = ((this.position + i - 1) % this.end) + 1;
      if (this.a.steps[(k - 1) * FIELDS] === line) return k;
    }
    return 0;
  }
  work(k: number): number { return k === 0 ? 0 : this.a.work[k - 1]; }
  depth(k: number): number { return k === 0 ? 0 : this.a.depth[k - 1]; }
  /** The most processors of a step, of those that have at most `limit`. */
  mostProcessors(limit: number): number {
    const known = this.most.get(limit);
    if (known !== undefined) return known;
    let most = 1;
    for (let at = 5; at < this.a.steps.length; at += FIELDS) {
      const processors = this.a.steps[at];
      if (processors <= limit && processors > most) most = processors;
    }
    this.most.set(limit, most);
    return most;
  }
  active(k: number): number { return this.a.steps[(k - 1) * FIELDS + 6]; }

  changeCount(k: number): number {
    const [begin, end] = this.range(k, 7);
    return end - begin;
  }
  /** The cells of a variable that step k changed; nothing where it changed none. */
  marksOf(k: number, variable: number): Marks | undefined {
    const key = `${k} ${variable}`;
    if (!this.marks.has(key)) this.marks.set(key, this.marksMade(k, variable));
    return this.marks.get(key);
  }
  private marksMade(k: number, variable: number): Marks | undefined {
    if (k === 0) return undefined;
    const [begin, end] = this.range(k, 7);
    const { changed } = this.a;
    let marks: Uint8Array | undefined;
    for (let at = 2 * begin; at < 2 * end; at += 2) {
      if (changed[at] !== variable) continue;
      marks ??= new Uint8Array(this.variables[variable].length);
      marks[changed[at + 1]] = 1;
    }
    const found = marks;
    return found && { has: (cell) => found[cell] === 1 };
  }
  changesOf(k: number): Change[] {
    const [begin, end] = this.range(k, 7);
    const result: Change[] = [];
    for (let i = begin; i < end; ++i) result.push(this.change(i));
    return result;
  }
  accessesOf(k: number): Access[] {
    const [begin, end] = this.range(k, 8);
    const result: Access[] = [];
    for (let i = begin; i < end; ++i) {
      const a = this.a.accesses.subarray(4 * i, 4 * i + 4);
      result.push({ write: a[0] === 1, variable: a[1], cell: a[2], processor: a[3] });
    }
    return result;
  }
  /** The processors that are active in step k, where they are few enough to be written down. */
  activeOf(k: number): Uint32Array {
    const [begin, end] = this.range(k, 9);
    return this.a.active.subarray(begin, end);
  }

  seek(position: number): void {
    const to = Math.max(0, Math.min(this.end, Math.round(position)));
    this.marks.clear();
    while (this.position < to) this.forward();
    if (this.position === to) return;
    let crossed = false;
    for (; this.position > to; --this.position) {
      this.undo(this.position);
      crossed ||= this.blockAt(this.position) !== this.blockAt(this.position - 1);
    }
    // The processors' variables of an earlier block are made again from its beginning.
    if (crossed) this.replayBlock();
  }

  private range(k: number, field: number): [number, number] {
    const at = (k - 1) * FIELDS + field;
    return [k === 1 ? 0 : this.a.steps[at - FIELDS], this.a.steps[at]];
  }

  private change(i: number): Change {
    const index = this.a.changed[2 * i];
    return {
      private: index >= PRIVATE, index: index & 0x7fffffff, cell: this.a.changed[2 * i + 1],
      before: this.a.before[i], after: this.a.after[i],
    };
  }

  private blockAt(k: number): number | null { return k === 0 ? null : this.step(k).block; }

  /** A block begins or ends: processors have no variables but what begins at 0. */
  private clear(): void {
    this.summary.privates.forEach((own, i) => { if (own.block !== null) this.privates[i].fill(0n); });
  }

  private forward(): void {
    const k = this.position + 1;
    if (this.blockAt(k) !== this.blockAt(this.position)) this.clear();
    const [begin, end] = this.range(k, 7);
    for (let i = begin; i < end; ++i) this.set(i, this.halves.after);
    this.position = k;
  }

  private undo(k: number): void {
    const [begin, end] = this.range(k, 7);
    for (let i = end; i-- > begin;) this.set(i, this.halves.before);
  }

  private set(i: number, from: Int32Array): void {
    const index = this.a.changed[2 * i];
    const cell = 2 * this.a.changed[2 * i + 1];
    const to = index >= PRIVATE ? this.halves.privates[index & 0x7fffffff] : this.halves.variables[index];
    to[cell] = from[2 * i];
    to[cell + 1] = from[2 * i + 1];
  }

  private replayBlock(): void {
    this.clear();
    const block = this.blockAt(this.position);
    if (block === null) return;
    let first = this.position;
    while (first > 1 && this.blockAt(first - 1) === block) --first;
    for (let k = first; k <= this.position; ++k) {
      const [begin, end] = this.range(k, 7);
      for (let i = begin; i < end; ++i) {
        const index = this.a.changed[2 * i];
        if (index >= PRIVATE) this.set(i, this.halves.after);
      }
    }
  }

  /**
   * Earlier states of a variable: the newest `rows`, oldest first, each with the step that made it. The last one holds the
   * current cells themselves, until the next seek.
   */
  history(variable: number, rows: number): State[] {
    const steps = this.changes[variable];
    let at = lastNotAbove(steps, this.position);
    let cells = this.variables[variable];
    const result: State[] = [];
    while (result.length < rows) {
      const step = at < 0 ? 0 : steps[at];
      result.unshift({ step, cells, changed: this.marksOf(step, variable) });
      if (step === 0 || result.length === rows) break;
      cells = cells.slice();
      const halves = halvesOf(cells);
      const { changed } = this.a;
      const { before } = this.halves;
      const [begin, end] = this.range(step, 7);
      for (let i = 2 * (end - 1); i >= 2 * begin; i -= 2) {
        if (changed[i] !== variable) continue;
        const cell = 2 * changed[i + 1];
        halves[cell] = before[i];
        halves[cell + 1] = before[i + 1];
      }
      --at;
    }
    return result;
  }
}

/** The index of the last element that is at most `limit`; -1: none. */
function lastNotAbove(ascending: number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
