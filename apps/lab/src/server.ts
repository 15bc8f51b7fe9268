/** The server of `lanewise lab`: what its machine has, and runs on it. A static page has none. */
import { UserError } from './engine';

/** `device`: what it runs on; `reason`: why it cannot, if so. */
export interface Executor { name: string; title: string; device: string; reason: string }
export interface About { version: string; program: { name: string; text: string } | null; limits: { steps: number; memory: string; seconds: number } }
export interface Job { program: string; input: string; executor: string; active?: 'auto' | 'bitset' | 'list'; without?: string[]; measure?: boolean }
/** The first cells of an output, and a checksum of all. */
export interface Output { name: string; extents: number[]; cells: string[]; checksum: number }
export interface MachineRun { outputs: Output[]; seconds: number; compiled: number; runs: number; launches: number; steps: number; work: number; depth: number }

/** Not an executor, but what their times are compared with: a tuned algorithm for the same problem, on cores. */
export const TUNED = 'tuned';
/** Where the page is static: what a machine could have. */
const ELSEWHERE = 'with lanewise lab on your machine';
const WITHOUT_SERVER: Executor[] = [['interpreter', 'Interpreter'], ['cpu', 'Cores'], ['cuda', 'CUDA'], ['cuda-group', 'CUDA, one group'], ['opencl', 'OpenCL'], ['opencl-group', 'OpenCL, one group'], [TUNED, 'Tuned']]
  .map(([name, title]) => ({ name, title, device: '', reason: ELSEWHERE }));

export const isServed = (): boolean => document.documentElement.dataset.server !== undefined;

const get = async <T>(path: string): Promise<T> => {
  const response = await fetch(path);
  if (!response.ok) throw new UserError((await response.text()).trim());
  return await response.json() as T;
};

export const about = (): Promise<About> => get('api/lab');
export const executors = async (): Promise<Executor[]> => (isServed() ? get('api/executors') : WITHOUT_SERVER);

/** Runs on the machine; `progress` is told the steps done. A run that is aborted ends there too. */
export async function runOn(job: Job, signal?: AbortSignal, progress?: (steps: number) => void): Promise<MachineRun> {
  const response = await fetch('api/run', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(job), signal });
  if (!response.ok) throw new UserError((await response.text()).trim());
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { value, done } = await reader.read();
    if (done) throw new UserError('The server ended before the run did.');
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const said = JSON.parse(line) as { steps?: number; result?: MachineRun; error?: string };
      if (said.error !== undefined) throw new UserError(said.error);
      if (said.result) return said.result;
      progress?.(said.steps ?? 0);
    }
  }
}

/** Of all cells, as the server computes it: FNV-1a by 32 bits, with one NaN. */
export function checksum(real: boolean, words: BigInt64Array): number {
  const halves = new Int32Array(words.buffer, words.byteOffset, 2 * words.length);
  const reals = real ? new Float64Array(words.buffer, words.byteOffset, words.length) : null;
  let sum = 2166136261;
  for (let i = 0; i < halves.length; ++i) sum = Math.imul(sum ^ (reals && Number.isNaN(reals[i >> 1]) ? -1 : halves[i]), 16777619);
  return sum >>> 0;
}
