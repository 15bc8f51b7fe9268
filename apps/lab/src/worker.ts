/** Runs the engine beside the page, so that a long run never stops it. */
import createLab from '@wasm/lab.js';
import wasm from '@wasm/lab.wasm?url';
import { Engine, UserError } from './engine';

const engine = createLab({ locateFile: () => new URL(wasm, self.location.href).href }).then((lab) => new Engine(lab));

self.onmessage = async (event: MessageEvent<{ id: number; call: string; args: unknown[] }>) => {
  const { id, call, args } = event.data;
  try {
    const methods = (await engine) as unknown as Record<string, (...args: unknown[]) => unknown>;
    const value = methods[call](...args);
    const arrays = (value as { arrays?: Record<string, { buffer: ArrayBuffer }> }).arrays;
    self.postMessage({ id, value }, { transfer: arrays ? Object.values(arrays).map((array) => array.buffer) : [] });
  } catch (error) {
    self.postMessage({ id, error: String((error as Error).message ?? error), user: error instanceof UserError });
  }
};
