/** The list "Executor", and the line that says how the program ran on the chosen one. */
import { byId, escape, plural } from './dom';
import { UserError } from './engine';
import type { Run } from './run';
import { checksum, executors, runOn, TUNED, type Executor, type Job, type MachineRun } from './server';

const BROWSER: Executor = { name: 'browser', title: 'Browser', device: 'WebAssembly', reason: '' };
const SHOWN = 12;  // cells of an output

export const duration = (seconds: number): string =>
  seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(3)} µs` : seconds < 1 ? `${(seconds * 1e3).toPrecision(3)} ms` : `${seconds.toPrecision(3)} s`;

export class Machine {
  all: Executor[] = [BROWSER];
  private abort = new AbortController();
  private under = 0;

  constructor(changed: () => void) { byId('executor').addEventListener('change', changed); }

  /** Fills the list; what is not available is grey, with its reason. */
  async find(): Promise<void> {
    const chosen = this.select.value;
    this.all = [BROWSER, ...await executors()];
    this.select.replaceChildren(...this.all.filter(({ name }) => name !== TUNED).map(({ name, title, device, reason }) => {
      const option = new Option(reason ? `${title} – ${reason.split('\n')[0]}` : title, name);
      option.disabled = reason !== '';
      option.title = reason || device;
      return option;
    }));
    this.select.value = chosen || BROWSER.name;
  }

  get busy(): boolean { return this.under > 0; }
  private get select(): HTMLSelectElement { return byId<HTMLSelectElement>('executor'); }

  /** Runs on the chosen executor, unless that is the page itself; a run that is under way ends. */
  async show(job: Omit<Job, 'executor'>, run: Run | null): Promise<void> {
    this.abort.abort();
    const line = byId('machine');
    const executor = this.all.find(({ name }) => name === this.select.value) ?? BROWSER;
    line.hidden = executor === BROWSER || !run;
    if (line.hidden) return;
    const { signal } = this.abort = new AbortController();
    const name = `<b>${escape(executor.title)}</b> <span class="muted">(${escape(executor.device)})</span>: `;
    const stop = () => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'Stop';
      button.setAttribute('aria-label', `Stop ${executor.title}`);
      button.addEventListener('click', () => { this.abort.abort(); line.innerHTML = `${name}stopped.`; });
      return button;
    };
    line.classList.remove('fails');
    line.innerHTML = `${name}running … `;
    ++this.under;
    try {
      const result = await runOn({ ...job, executor: executor.name, measure: true }, signal, (steps) => {
        line.innerHTML = `${name}running, ${plural(steps, 'step')} … `;
        line.append(stop());
      });
      if (signal.aborted) return;
      const verdict = verdictOf(result, run!);
      line.classList.toggle('fails', !verdict.holds);
      const kernels = result.launches > 0 ? ` in ${plural(result.launches, 'kernel')}` : '';
      line.innerHTML = `${name}<b>${duration(result.seconds)}</b>${kernels}. ${escape(verdict.text)}`;
    } catch (error) {
      if (signal.aborted) return;
      line.classList.add('fails');
      line.innerHTML = name + escape(error instanceof UserError ? error.message.split('\n')[0] : 'the server of lanewise lab does not answer.');
    } finally {
      --this.under;
    }
  }
}

/** What the machine's result is, compared with that of the steps. */
function verdictOf(result: MachineRun, run: Run): { holds: boolean; text: string } {
  if (run.summary.end.kind === 'error') return { holds: true, text: 'Step by step, the program fails; this result has no meaning.' };
  if (run.summary.end.kind === 'limit') {
    const shown = result.outputs.map(({ name, cells }) => `${name} = ${cells.slice(0, SHOWN).join(' ')}${cells.length > SHOWN ? ' …' : ''}`);
    return { holds: true, text: `The page shows the beginning of the run; its result is ${shown.join('; ')}` };
  }
  const at = run.position;
  run.seek(run.end);
  const others = result.outputs.filter((output) => {
    const i = run.summary.variables.findIndex(({ name }) => name === output.name);
    return checksum(run.summary.variables[i].type === 'real', run.variables[i]) !== output.checksum;
  });
  run.seek(at);
  return others.length === 0 ? { holds: true, text: 'The result is that of the steps.' }
    : { holds: false, text: `${others.map(({ name }) => name).join(', ')} differs from the result of the steps. Please report this.` };
}
