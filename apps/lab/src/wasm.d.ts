declare module '@wasm/lab.js' {
  /** What emscripten makes of apps/lab/wasm. */
  export interface LabModule {
    HEAPU8: Uint8Array;
    UTF8ToString(pointer: number): string;
    stringToUTF8(text: string, pointer: number, bytes: number): void;
    lengthBytesUTF8(text: string): number;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _lab_library(): number;
    _lab_check(text: number): number;
    _lab_format(text: number): number;
    _lab_explain(text: number, without: number): number;
    _lab_kernels(text: number, without: number, language: number): number;
    _lab_run(text: number, inputs: number, steps: number, changes: number): number;
    _lab_kernel_steps(text: number, inputs: number, without: number, steps: number): number;
    _lab_measure(text: number, inputs: number, steps: number): number;
    _lab_graph(kind: number, n: number, seed: number): number;
    _lab_array(which: number): number;
    _lab_length(which: number): number;
  }
  export default function createLab(options: { locateFile?: (name: string) => string; wasmBinary?: ArrayBuffer | Uint8Array }): Promise<LabModule>;
}
