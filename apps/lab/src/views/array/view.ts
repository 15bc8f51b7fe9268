/** The memory as bars and heat maps, processors with arrows, and earlier states; which of them, and how near. */
import { escape } from '../../dom';
import { text, type Run } from '../../run';
import type { Scene, View } from '../view';
import { firstChoice, picture, WHOLE, type Choice } from './picture';
import { GUTTER } from './shapes';

const MOST_LISTED = 20_000;
/** Cells that are shown at least. */
const NEAREST = 8;

export class ArrayView implements View {
  private scene!: Scene;
  private host!: HTMLElement;
  private choice!: Choice;
  private program = '';
  /** The room of the picture. It is measured when it may have changed, as a look at the layout takes part of a frame. */
  private room = { width: 0, height: 0 };
  private readonly resized = new ResizeObserver(() => { if (this.measure()) this.draw(); });

  show(host: HTMLElement, scene: Scene): void {
    this.host = host;
    this.scene = scene;
    const { variables } = scene.run.summary;
    const { end } = scene.run.summary;
    const conflict = end.kind === 'error' ? end.conflict?.variable : undefined;
    const signature = variables.map((v) => `${v.name}${v.extents.length}`).join() + String(conflict ?? '');
    if (signature !== this.program) {
      this.program = signature;
      this.choice = firstChoice(scene.run);
    }
    this.choice.window = { ...WHOLE };
    const { choice } = this;
    const arrays = variables.map((v, i) => ({ v, i })).filter(({ v }) => v.extents.length > 0);
    const chips = arrays.map(({ v, i }) => `<button type="button" data-array="${i}" aria-pressed="${choice.arrays.has(i)}">${escape(v.name)}</button>`);
    const rows = arrays.filter(({ v }) => v.extents.length === 1)
      .map(({ v, i }) => `<option value="${i}" ${i === choice.row ? 'selected' : ''}>${escape(v.name)}</option>`);
    host.innerHTML = `
      <div class="options"><span role="group" aria-label="Arrays">${chips.join(' ')}</span>
        ${rows.length > 0 ? `<label>Earlier states of <select aria-label="Earlier states of">${rows.join('')}</select></label>
        <button type="button" data-act="flow" aria-pressed="${choice.flow}" title="The earlier states alone, with lines from where their values came">Flow</button>` : ''}
        <span role="group" aria-label="Zoom"><button type="button" data-act="in" aria-label="Zoom in" title="Wheel">+</button><button type="button" data-act="out" aria-label="Zoom out">−</button><button type="button" data-act="whole">All</button></span>
        <span class="legend">
          <span><svg width="30" height="10" aria-hidden="true"><path class="arrow read" d="M1 5H24"/><path class="head read" d="M30 5l-8-4v8z"/></svg> reads</span>
          <span><svg width="30" height="10" aria-hidden="true"><path class="arrow write" d="M1 5H24"/><path class="head write" d="M30 5l-8-4v8z"/></svg> writes</span>
          <span><svg width="12" height="12" aria-hidden="true"><rect class="cell changed" x="1" y="1" width="10" height="10"/></svg> changed</span>
        </span></div>
      <div class="chips" role="group" aria-label="Variables">${scalars(scene.run)}</div><div class="canvas"></div>`;
    host.querySelectorAll<HTMLButtonElement>('[data-array]').forEach((chip) => chip.addEventListener('click', () => {
      const i = Number(chip.dataset.array);
      if (!choice.arrays.delete(i)) choice.arrays.add(i);
      chip.setAttribute('aria-pressed', String(choice.arrays.has(i)));
      this.draw();
    }));
    host.querySelector('select')?.addEventListener('change', (event) => {
      choice.row = Number((event.target as HTMLSelectElement).value);
      this.draw();
    });
    host.querySelectorAll<HTMLElement>('[data-act]').forEach((button) => button.addEventListener('click', () => this.act(button)));
    this.listen(host.querySelector<HTMLElement>('.canvas')!);
    this.measure();
    this.draw();
    // What lies above the picture grows with the variables' values.
    for (const element of [host, host.querySelector('.options')!, host.querySelector('.chips')!]) this.resized.observe(element);
  }

  hide(): void { this.resized.disconnect(); }

  draw(): void {
    const { run } = this.scene;
    const canvas = this.host.querySelector<HTMLElement>('.canvas');
    if (!canvas) return;
    this.host.querySelector('.chips')!.innerHTML = scalars(run);
    canvas.innerHTML = picture(run, this.choice, this.room.width, this.room.height);
    this.greyOut();
  }

  /** Whether the room of the picture changed. */
  private measure(): boolean {
    const { width, height } = this.room;
    const top = this.host.querySelector<HTMLElement>('.canvas')!.offsetTop;
    this.room = { width: Math.max(320, this.host.clientWidth - 26), height: Math.max(320, this.host.clientHeight - top - 12) };
    return this.room.width !== width || this.room.height !== height;
  }

  private greyOut(): void {
    const { width, height } = this.choice.window;
    this.host.querySelector('.canvas')!.classList.toggle('zoomed', width < 1);
    for (const act of ['out', 'whole']) this.host.querySelector<HTMLButtonElement>(`[data-act=${act}]`)!.disabled = width === 1 && height === 1;
    this.host.querySelector<HTMLButtonElement>('[data-act=in]')!.disabled = width <= this.least && height <= this.least;
  }

  /** The share of the longest extent that is shown at least. */
  private get least(): number {
    const longest = Math.max(1, ...this.scene.run.summary.variables.flatMap(({ extents }) => extents));
    return Math.min(1, NEAREST / longest);
  }

  private act(button: HTMLElement): void {
    const { choice } = this;
    switch (button.dataset.act) {
      case 'flow':
        choice.flow = !choice.flow;
        button.setAttribute('aria-pressed', String(choice.flow));
        break;
      case 'in': this.zoom(0.5, 0.5, 0.5); break;
      case 'out': this.zoom(2, 0.5, 0.5); break;
      case 'whole': choice.window = { ...WHOLE }; break;
    }
    this.draw();
  }

  /** Nearer or farther, around a place given in shares of what is shown. */
  private zoom(factor: number, x: number, y: number): void {
    const { window } = this.choice;
    const along = (start: number, size: number, at: number): [number, number] => {
      const next = Math.min(1, Math.max(this.least, size * factor));
      return [Math.max(0, Math.min(1 - next, start + at * (size - next))), next];
    };
    [window.x, window.width] = along(window.x, window.width, x);
    [window.y, window.height] = along(window.y, window.height, y);
  }

  private listen(canvas: HTMLElement): void {
    canvas.addEventListener('pointerover', (event) => this.light(canvas, event.target as Element));
    canvas.addEventListener('pointerleave', () => this.light(canvas, null));
    const share = (event: MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      const inside = (value: number) => Math.max(0, Math.min(1, value));
      return [inside((event.clientX - box.left - GUTTER) / (box.width - GUTTER)), inside((event.clientY - box.top) / box.height)];
    };
    canvas.addEventListener('wheel', (event) => {
      // A small picture is all there, and the wheel scrolls the page.
      if (this.least > 0.5 && this.choice.window.width === 1) return;
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY / 400), ...share(event));
      this.draw();
    }, { passive: false });
    let last: [number, number] | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      if (this.choice.window.width === 1) return;
      last = share(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!last) return;
      const { window } = this.choice;
      const now = share(event);
      window.x = Math.max(0, Math.min(1 - window.width, window.x + (last[0] - now[0]) * window.width));
      window.y = Math.max(0, Math.min(1 - window.height, window.y + (last[1] - now[1]) * window.height));
      last = now;
      this.draw();
    });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { last = null; });
  }

  private light(canvas: HTMLElement, element: Element | null): void {
    const processor = element?.closest('[data-p]')?.getAttribute('data-p');
    canvas.querySelector('svg')?.classList.toggle('dim', processor != null);
    canvas.querySelectorAll('.arrow.lit').forEach((arrow) => arrow.classList.remove('lit'));
    if (processor != null) canvas.querySelectorAll(`.arrow[data-of="${processor}"]`).forEach((arrow) => arrow.classList.add('lit'));
  }
}

/** Parameters and scalars with their values. */
export function scalars(run: Run): string {
  const { summary, position } = run;
  // Steps of many changes change no scalar worth a search.
  const few = position > 0 && !run.atFailure && run.changeCount(position) <= MOST_LISTED;
  const changes = few ? run.changesOf(position) : [];
  const end = run.atFailure && summary.end.kind === 'error' ? summary.end.conflict : null;
  const bad = end ? summary.variables[end.variable].name : '';
  const chip = (name: string, value: string, changed: boolean) =>
    `<span class="chip${bad === name ? ' bad' : changed ? ' changed' : ''}">${escape(name)} = ${escape(value)}</span>`;
  const parameters = summary.parameters.map(({ name, value }) => chip(name, value, false));
  const shared = summary.variables.flatMap((v, i) => (v.extents.length > 0 ? []
    : [chip(v.name, text(v.type, run.variables[i][0]), changes.some((c) => !c.private && c.index === i))]));
  const own = summary.privates.flatMap((v, i) => (v.block !== null || v.name.includes('.') ? []
    : [chip(v.name, text(v.type, run.privates[i][0] ?? 0n), changes.some((c) => c.private && c.index === i))]));
  return [...parameters, ...shared, ...own].join('');
}
