/**
 * What the program becomes: its meta-program beside the kernels and the memory, or one complete source for GPUs. The unit
 * of the current step is marked in all of them; a line under the pointer marks what belongs to it.
 */
import { escape, plural } from '../../dom';
import type { Kernels } from '../../kernels';
import type { Explanation } from '../../types';
import { firstChoice, picture } from '../array/picture';
import type { Scene, View } from '../view';
import { kernelsOf } from './kernel_text';
import { activeSets } from './sets';

const LANGUAGES = [['c', 'kernels alone'], ['group', 'one group'], ['cuda', 'CUDA, complete'], ['opencl', 'OpenCL, complete']];

export class CodeView implements View {
  private scene!: Scene;
  private host!: HTMLElement;
  private language = 'c';
  private explanation: Explanation | null = null;
  private kernels: Kernels | null = null;
  private readonly resized = new ResizeObserver(() => this.draw());
  private loads = 0;

  /** `meta`: the meta-program and its surroundings; else kernels alone. */
  constructor(private readonly meta: boolean) {}

  show(host: HTMLElement, scene: Scene): void {
    this.host = host;
    this.scene = scene;
    host.innerHTML = '<div class="options"></div>';
    void this.load();
    this.resized.observe(host);
  }

  hide(): void {
    this.resized.disconnect();
    this.scene.link([]);
    ++this.loads;
  }

  private async load(): Promise<void> {
    const load = ++this.loads;
    const { scene } = this;
    const [explanation, kernels, plain, text] = await Promise.all([scene.explain(), scene.kernelSteps(), scene.kernelSteps(['all']), scene.kernels(this.meta ? 'c' : this.language)]);
    if (load !== this.loads) return;  // a later choice was faster
    this.explanation = explanation;
    this.kernels = kernels;
    this.host.innerHTML = this.meta ? this.metaHtml(explanation, kernels, plain, text) : this.kernelHtml(text);
    this.listen();
    this.draw();
  }

  private metaHtml(explanation: Explanation, { counts }: Kernels, plain: Kernels, text: string): string {
    const switches = explanation.passes.map(({ name, summary }) =>
      `<label title="${escape(summary)}"><input type="checkbox" value="${name}" ${this.scene.without.has(name) ? '' : 'checked'}> ${name}</label>`);
    // A note stands where its pass did something: below the last line of the meta-program that its line became.
    const last = new Map(explanation.lines.map(({ line }, i) => [line, i]));
    const rows = explanation.lines.map(({ line, text: shown, unit }, i) =>
      `<div class="row" data-line="${line}" data-unit="${unit}"><span class="number">${line || ''}</span><span>${escape(shown)}</span></div>`
      + explanation.notes.filter((note) => last.get(note.line) === i).map((note) => noteHtml(note)).join(''));
    const homeless = explanation.notes.filter(({ line }) => !last.has(line)).map((note) => noteHtml(note));
    return `<div class="code"><div class="options" role="group" aria-label="Optimisations">${switches.join('')}</div>
      <div class="status"><div class="sets chips" role="group" aria-label="Active sets"></div><span class="counts">This run: <b>${plural(counts.kernels, 'kernel')}</b>, ${plural(counts.tests, 'test')}, ${counts.host.toLocaleString('en')} on the host;
        without optimisations ${plural(plain.counts.kernels, 'kernel')}, ${plural(plain.counts.tests, 'test')}</span></div>
      <div class="panes"><pre class="pane" tabindex="0" aria-label="Meta-program text">${rows.join('')}${homeless.join('')}</pre>
      <pre class="pane" tabindex="0" aria-label="Kernel text">${kernelRows(text)}</pre></div>
      <div class="small-picture" tabindex="0" role="region" aria-label="Memory"></div></div>`;
  }

  private kernelHtml(text: string): string {
    const off = [...this.scene.without];
    const list = LANGUAGES.map(([value, label]) => `<option value="${value}" ${value === this.language ? 'selected' : ''}>${label}</option>`);
    return `<div class="code alone"><div class="options"><label>Source <select aria-label="Kernel language">${list.join('')}</select></label>
        <span class="legend">${off.length > 0 ? `without ${off.join(', ')}` : 'with all optimisations'}</span></div>
      <pre class="pane" tabindex="0" aria-label="Kernel text">${kernelRows(text)}</pre></div>`;
  }

  private listen(): void {
    const { host, scene } = this;
    host.querySelectorAll('input').forEach((box) => box.addEventListener('change', () => {
      if (box.checked) scene.without.delete(box.value);
      else scene.without.add(box.value);
      scene.passesChanged();
      void this.load().then(() => host.querySelector<HTMLInputElement>(`input[value=${box.value}]`)?.focus());
    }));
    host.querySelector('select')?.addEventListener('change', (event) => {
      this.language = (event.target as HTMLSelectElement).value;
      void this.load();
    });
    host.querySelectorAll<HTMLElement>('.pane').forEach((pane) => {
      pane.addEventListener('pointerover', (event) => this.point(event.target as HTMLElement));
      pane.addEventListener('pointerleave', () => this.point(null));
      pane.addEventListener('click', (event) => {
        const line = this.linesOf(event.target as HTMLElement)[0];
        if (line && getSelection()?.isCollapsed) scene.runTo(line);
      });
    });
  }

  /** The unit of a row or kernel; -1: none. */
  private unitOf(element: HTMLElement): number {
    const row = element.closest<HTMLElement>('[data-unit]');
    if (row) return Number(row.dataset.unit);
    const names = element.closest<HTMLElement>('.kernel')?.dataset.names?.split(' ') ?? [];
    return this.explanation?.units.findIndex(({ kernel }) => names.includes(kernel)) ?? -1;
  }
  private linesOf(element: HTMLElement): number[] {
    const unit = this.explanation?.units[this.unitOf(element)];
    const own = Number(element.closest<HTMLElement>('[data-line]')?.dataset.line ?? 0);
    return unit?.lines ?? (own > 0 ? [own] : []);
  }

  private point(element: HTMLElement | null): void {
    this.scene.link(element ? this.linesOf(element) : []);
    this.mark('linked', element ? this.unitOf(element) : -1);
  }

  /** The source line under the pointer; 0: none. */
  linked(line: number): void {
    const units = this.explanation?.units.flatMap(({ lines }, i) => (line > 0 && lines.includes(line) ? [i] : [])) ?? [];
    this.mark('linked', ...units);
  }

  private mark(kind: 'current' | 'linked', ...units: number[]): void {
    const names = units.flatMap((unit) => this.explanation?.units[unit]?.kernel || []);
    this.host.querySelectorAll<HTMLElement>('[data-unit]').forEach((row) => row.classList.toggle(kind, row.dataset.unit !== '-1' && units.includes(Number(row.dataset.unit))));
    this.host.querySelectorAll<HTMLElement>('.kernel').forEach((kernel) => kernel.classList.toggle(kind, (kernel.dataset.names ?? '').split(' ').some((name) => names.includes(name))));
  }

  draw(): void {
    const { explanation, kernels } = this;
    const { run } = this.scene;
    if (!explanation || !kernels || !this.host.querySelector('.code')) return;
    this.mark('current', kernels.unit(run.position));
    const line = run.position === 0 ? 0 : run.step(run.position).line;
    this.host.querySelectorAll<HTMLElement>('.row').forEach((row) => row.classList.toggle('here', row.classList.contains('current') && Number(row.dataset.line) === line));
    this.host.querySelectorAll<HTMLElement>('.note').forEach((note) => note.classList.toggle('current', Number(note.dataset.line) === line));
    // All looks at the layout come before what changes it, so that it is computed once.
    const small = this.host.querySelector<HTMLElement>('.small-picture');
    const room = small && { width: Math.max(320, small.clientWidth - 4), height: small.clientHeight };
    const scrolls = [...this.host.querySelectorAll<HTMLElement>('.pane')].map((pane) => {
      const first = pane.querySelector<HTMLElement>(`.current[data-line="${line}"]`) ?? pane.querySelector<HTMLElement>('.current');
      if (!first) return null;
      const top = first.offsetTop - pane.offsetTop;
      return top < pane.scrollTop || top + first.offsetHeight > pane.scrollTop + pane.clientHeight ? { pane, top } : null;
    });
    for (const scroll of scrolls) if (scroll) scroll.pane.scrollTop = Math.max(0, scroll.top - 20);
    const sets = this.host.querySelector('.sets');
    if (sets) {
      const sizes = activeSets(run, kernels, explanation.units);
      sets.innerHTML = sizes.length === 0 ? '<span class="chip">the host</span>' : sizes.map(({ set, size }, i) => `<span class="chip${i === sizes.length - 1 ? ' changed' : ''}">T${set}: ${plural(size, 'processor')}</span>`).join('<span class="muted">⊇</span>');
    }
    if (small && room) small.innerHTML = picture(run, { ...firstChoice(run), row: -1, own: false }, room.width, room.height);
  }
}

const noteHtml = ({ pass, line, text }: Explanation['notes'][number]): string =>
  `<div class="note" data-line="${line}"><b>${escape(pass)}</b> ${escape(text)}</div>`;
const kernelRows = (text: string): string => kernelsOf(text)
  .map(({ line, names, text: kernel }) => `<span class="kernel" data-line="${line}" data-names="${names.join(' ')}">${escape(kernel)}</span>`).join('');
