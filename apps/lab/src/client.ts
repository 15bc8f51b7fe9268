/** The worker as promises. `stop` ends a run that takes too long; the worker starts again. */
import { UserError, type Engine } from './engine';

type Call = 'library' | 'check' | 'format' | 'explain' | 'kernels' | 'kernelSteps' | 'measure' | 'graph' | 'run';
interface Waiting { resolve: (value: never) => void; reject: (error: Error) => void }

export class Client {
  private worker = this.start();
  private waiting = new Map<number, Waiting>();
  private last = 0;

  call<C extends Call>(call: C, ...args: Parameters<Engine[C]>): Promise<ReturnType<Engine[C]>> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, args });
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  stop(): void {
    this.worker.terminate();
    this.waiting.forEach(({ reject }) => reject(new UserError('The run was stopped.')));
    this.waiting.clear();
    this.worker = this.start();
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.value as never);
      else waiting?.reject(data.user ? new UserError(data.error) : new Error(data.error));
    };
    return worker;
  }
}
