/** engine/pram, as WebAssembly: texts in, objects and typed arrays out. Runs in the worker and in tests. */
import type { LabModule } from '@wasm/lab.js';
import type { Arrays, Check, Explanation, KernelSteps, LibraryProgram, Measured, Recorded, Summary } from './types';

/** What the user can mend; the message says what and where. */
export class UserError extends Error {}

export class Engine {
  constructor(private readonly lab: LabModule) {}

  library(): LibraryProgram[] { return this.parsed(this.lab._lab_library()); }
  check(text: string): Check { return this.with([text], (t) => this.parsed(this.lab._lab_check(t))); }
  /** The program in its usual form, if it has no mistakes. */
  format(text: string): { text: string } { return this.with([text], (t) => this.parsed(this.lab._lab_format(t))); }
  explain(text: string, without: string[]): Explanation {
    return this.with([text, without.join(' ')], (t, w) => this.parsed(this.lab._lab_explain(t, w)));
  }
  /** The kernels as source for `language`: c (what all share), cuda, opencl, or group (one kernel for all). */
  kernels(text: string, without: string[], language: string): { text: string } {
    return this.with([text, without.join(' '), language], (t, w, l) => this.parsed(this.lab._lab_kernels(t, w, l)));
  }
  /** Where the kernels of a run end, with these optimisations switched off. */
  kernelSteps(text: string, inputs: string, without: string[], steps: number): KernelSteps {
    const counts = this.with([text, inputs, without.join(' ')], (t, i, w) => this.parsed<Omit<KernelSteps, 'arrays'>>(this.lab._lab_kernel_steps(t, i, w, steps)));
    return { ...counts, arrays: { ends: new Uint32Array(this.copy(9, 4)) } };
  }
  measure(text: string, inputs: string, steps: number): Measured {
    return this.with([text, inputs], (t, i) => this.parsed(this.lab._lab_measure(t, i, steps)));
  }
  /** Edges as lines "source target". */
  graph(kind: string, n: number, seed: number): string {
    return this.with([kind], (k) => this.lab.UTF8ToString(this.lab._lab_graph(k, n, seed)));
  }
  run(text: string, inputs: string, steps: number, changes: number): Recorded {
    const summary = this.with([text, inputs], (t, i) => this.parsed<Summary>(this.lab._lab_run(t, i, steps, changes)));
    return { summary, arrays: this.arrays() };
  }

  private parsed<T>(pointer: number): T {
    const result = JSON.parse(this.lab.UTF8ToString(pointer)) as T & { error?: string };
    if (result.error !== undefined) throw new UserError(result.error);
    return result;
  }

  private with<T>(texts: string[], call: (...pointers: number[]) => T): T {
    const pointers = texts.map((text) => {
      const bytes = this.lab.lengthBytesUTF8(text) + 1;
      const pointer = this.lab._malloc(bytes);
      this.lab.stringToUTF8(text, pointer, bytes);
      return pointer;
    });
    try {
      return call(...pointers);
    } finally {
      pointers.forEach((pointer) => this.lab._free(pointer));
    }
  }

  /** A copy, since the module's memory moves when it grows. */
  private copy(which: number, bytes: number): ArrayBuffer {
    const from = this.lab._lab_array(which);
    return this.lab.HEAPU8.slice(from, from + this.lab._lab_length(which) * bytes).buffer as ArrayBuffer;
  }

  private arrays(): Arrays {
    const copy = (which: number, bytes: number) => this.copy(which, bytes);
    return {
      initial: new BigInt64Array(copy(0, 8)),
      steps: new Uint32Array(copy(1, 4)),
      work: new Float64Array(copy(2, 8)),
      depth: new Float64Array(copy(3, 8)),
      changed: new Uint32Array(copy(4, 4)),
      before: new BigInt64Array(copy(5, 8)),
      after: new BigInt64Array(copy(6, 8)),
      accesses: new Uint32Array(copy(7, 4)),
      active: new Uint32Array(copy(8, 4)),
    };
  }
}
