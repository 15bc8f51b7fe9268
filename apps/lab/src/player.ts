/** Where in a run the page is: buttons, time line, keys and swipes. */
import { byId } from './dom';
import type { Kernels } from './kernels';
import type { Run } from './run';

/** Steps a second of Auto, by the speed chosen. */
const SPEEDS = [0.5, 1, 2, 4, 10, 30, 120];
const SWIPE = 60;  // pixels

export class Player {
  private run: Run | null = null;
  /** While steps are kernels. */
  private kernels: Kernels | null = null;
  private timer = 0;

  /** `moved` is called at each new position; `kernelsOf` is asked for when steps are kernels. */
  constructor(private readonly moved: () => void, private readonly kernelsOf: () => Promise<Kernels | null>, private readonly cursorLine: () => number) {
    const on = (id: string, event: string, act: () => void) => byId(id).addEventListener(event, act);
    on('step', 'click', () => this.go(1));
    on('back', 'click', () => this.go(-1));
    on('reset', 'click', () => { this.stop(); this.seek(0); });
    on('auto', 'click', () => this.auto());
    on('conflict', 'click', () => { this.stop(); this.seek(this.end); });
    on('toline', 'click', () => this.runTo(this.cursorLine()));
    on('time', 'input', () => { this.stop(); this.seek(Number(byId<HTMLInputElement>('time').value)); });
    on('unit', 'change', () => void this.chooseUnit());
    document.addEventListener('keydown', (event) => this.key(event));
    this.swipes(byId('view'));
  }

  private get at(): number { return this.run?.position ?? 0; }
  get end(): number { return this.run?.end ?? 0; }

  /** A new run, at its beginning. */
  set(run: Run | null): void {
    this.stop();
    this.run = run;
    this.kernels = null;
    if (byId<HTMLSelectElement>('unit').value === 'kernel') void this.chooseUnit();
  }

  /** Reads the kernels again, where steps are kernels. */
  async chooseUnit(): Promise<void> {
    const { run } = this;
    const kernels = byId<HTMLSelectElement>('unit').value === 'kernel' && run ? await this.kernelsOf() : null;
    if (run !== this.run) return;
    this.kernels = kernels;
    this.show();
  }

  seek(position: number): void {
    if (!this.run) return;
    this.run.seek(position);
    this.moved();
    if (this.at === this.end) this.stop();
  }

  private next(): number { return this.kernels?.next(this.at, this.end) ?? this.at + 1; }

  private go(direction: number): void {
    this.stop();
    this.seek(direction > 0 ? this.next() : this.kernels?.back(this.at) ?? this.at - 1);
  }

  /** To the next step on a line; says so where there is none. */
  runTo(line: number): void {
    this.stop();
    const k = this.run?.nextOn(line) ?? 0;
    if (k > 0) this.seek(k);
    else byId('now').textContent = `No step of this run is on line ${line}.`;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    byId('auto').setAttribute('aria-pressed', 'false');
  }

  private auto(): void {
    const tick = () => {
      const pause = 1000 / SPEEDS[Number(byId<HTMLInputElement>('speed').value)];
      this.timer = window.setTimeout(() => { tick(); this.seek(this.next()); }, pause);
    };
    if (this.timer !== 0) { this.stop(); return; }
    byId('auto').setAttribute('aria-pressed', 'true');
    tick();
  }

  /** The controls of the current position. */
  show(): void {
    const { at, end, kernels, run } = this;
    const time = byId<HTMLInputElement>('time');
    time.max = String(end);
    time.value = String(at);
    time.disabled = end === 0;
    time.setAttribute('aria-valuetext', `step ${at} of ${end}`);
    const steps = `Step ${at.toLocaleString('en')} of ${end.toLocaleString('en')}`;
    byId('where').textContent = !run ? 'No run' : kernels ? `Kernel ${kernels.of(at)} of ${kernels.count}` : steps;
    for (const id of ['back', 'reset']) byId<HTMLButtonElement>(id).disabled = at === 0;
    for (const id of ['step', 'auto', 'conflict']) byId<HTMLButtonElement>(id).disabled = at === end;
    byId<HTMLButtonElement>('toline').disabled = end === 0;
  }

  /** Keys step, where no control takes them. */
  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, #editor, [role=tab]') || document.body.classList.contains('reading')) return;
    if (event.key === ' ' && target.closest('button, summary')) return;
    const acts: Record<string, () => void> = {
      ' ': () => this.go(1), ArrowRight: () => this.go(1), ArrowLeft: () => this.go(-1),
      Home: () => this.seek(0), End: () => this.seek(this.end),
    };
    if (!(event.key in acts)) return;
    event.preventDefault();
    this.stop();
    acts[event.key]();
  }

  /** A finger that moves to the left goes on, to the right back. */
  private swipes(element: HTMLElement): void {
    let start: Touch | null = null;
    element.addEventListener('touchstart', (event) => {
      start = event.touches.length === 1 && !(event.target as Element).closest('.graph, input, select, pre, .zoomed') ? event.touches[0] : null;
    }, { passive: true });
    element.addEventListener('touchend', (event) => {
      const [end] = event.changedTouches;
      if (!start || !end) return;
      const [dx, dy] = [end.clientX - start.clientX, end.clientY - start.clientY];
      start = null;
      if (Math.abs(dx) > SWIPE && Math.abs(dy) < Math.abs(dx) / 2) this.go(dx < 0 ? 1 : -1);
    }, { passive: true });
  }
}
