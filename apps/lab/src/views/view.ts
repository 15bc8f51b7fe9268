import type { Certificate } from '../certificate';
import type { GraphEdit } from '../graph_text';
import type { Kernels } from '../kernels';
import type { Run } from '../run';
import type { Executor } from '../server';
import type { Explanation, Measured } from '../types';

/** What a view draws from. */
export interface Scene {
  run: Run;
  /** Lines of the program. */
  source: string[];
  /** Optimisations that are switched off, in the meta-program and its kernels. */
  without: Set<string>;
  /** Of a run that stands at its end. */
  certificate(): Certificate | null;
  /** Changes the graph of the Input, and runs again; why it does not, if so. */
  edit(change: (graph: GraphEdit) => string | null): string | null;
  /** Marks lines of the source that belong to what is under the pointer. */
  link(lines: number[]): void;
  runTo(line: number): void;
  /** The run by kernels, without the optimisations that are off, or without these. */
  kernelSteps(without?: string[]): Promise<Kernels>;
  /** To be called after `without` changed. */
  passesChanged(): void;
  explain(): Promise<Explanation>;
  kernels(language: string): Promise<string>;
  /** Costs on a generated input of size n. */
  measure(n: number): Promise<Measured>;
  /** The browser and the executors of the machine, those that it lacks too. */
  executors(): Executor[];
  /** An input of the chosen kind and of size n. */
  generated(n: number): Promise<string>;
  /** Seconds of a run on an executor. */
  time(executor: string, active: 'auto' | 'bitset' | 'list', input: string, signal: AbortSignal): Promise<number>;
}

/** A view fills its host when it is shown, and draws again whenever the position changes. */
export interface View {
  show(host: HTMLElement, scene: Scene): void;
  draw(): void;
  hide?(): void;
  /** The pointer is on a line of the source; 0: on none. */
  linked?(line: number): void;
}
