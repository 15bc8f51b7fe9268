/** What the engine says about programs and runs; apps/lab/wasm/bridge.cc writes it. */

export type ValueType = 'bool' | 'int32' | 'int' | 'real';

export interface LibraryProgram { name: string; summary: string; text: string }

export interface Diagnostic {
  severity: 'error' | 'warning';
  line: number; column: number; length: number;
  message: string; advice: string;
}

export interface ProgramInput { name: string; type: ValueType; extents: string[]; graph: boolean }

export interface Check { diagnostics: Diagnostic[]; mode: string | null; inputs: ProgramInput[] }

export interface Explanation {
  /** `unit`: an index of `units`; -1: none. */
  lines: { line: number; text: string; unit: number }[];
  /**
   * What a machine does at once; `sets`: T0 down to the active one, empty for the host; `kernel`: the name of its kernel, empty
   * where the host does it.
   */
  units: { kind: 'host' | 'kernel' | 'test'; sets: number[]; kernel: string; lines: number[] }[];
  notes: { pass: string; line: number; text: string }[];
  passes: { name: string; summary: string }[];
}

export interface Variable { name: string; type: ValueType; role: 'input' | 'output' | 'inout' | 'shared'; extents: number[]; sizes: string[] }
export interface Private { name: string; type: ValueType; block: number | null }

export interface Conflict {
  kind: 'read' | 'write' | 'unequal' | 'twice';
  variable: number; cell: number;
  processors: [number, number]; values: [string, string];
  needs: string | null;
}

export type End =
  | { kind: 'done' | 'limit' }
  | { kind: 'error'; message: string; line: number; column: number; length: number; step: number; processor: number; conflict: Conflict | null };

export interface Cost { steps: number; work: number; depth: number; peak: number; lines: [number, number, number, number][] }

export interface Summary {
  mode: string;
  parameters: { name: string; value: string }[];
  variables: Variable[];
  privates: Private[];
  /** Of a graph's vertices, as the input names them; empty: their numbers. */
  labels: number[];
  cost: Cost;
  end: End;
}

/** The flat arrays of a run, in the order of Recording in engine/pram/interpreter/recording.h. */
export interface Arrays {
  initial: BigInt64Array;
  steps: Uint32Array;
  work: Float64Array;
  depth: Float64Array;
  changed: Uint32Array;
  before: BigInt64Array;
  after: BigInt64Array;
  accesses: Uint32Array;
  active: Uint32Array;
}

/** Of a run by kernels: how many there were, and pairs of the steps until a kernel's end and its unit. */
export interface KernelSteps { kernels: number; tests: number; host: number; arrays: { ends: Uint32Array } }

export interface Recorded { summary: Summary; arrays: Arrays }
export interface Measured { steps: number; work: number; depth: number; seconds: number }
