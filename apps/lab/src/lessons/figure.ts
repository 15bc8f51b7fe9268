/** A live figure: a program, its run, and a picture that one steps through. */
import { certificateOf } from '../certificate';
import type { Client } from '../client';
import { escape, plural } from '../dom';
import { generatedInput } from '../inputs';
import { Run } from '../run';
import type { LibraryProgram } from '../types';
import { firstChoice, picture } from '../views/array/picture';
import { Forces, placed, type LayoutName } from '../views/graph/layout';
import { firstShown, looksOf } from '../views/graph/looks';
import { networkOf } from '../views/graph/network';
import type { Drawing } from '../views/graph/drawing';
import { SvgPicture } from '../views/graph/svg';
import { halves, type Block } from './markdown';

const LIMITS = { steps: 20_000, changes: 500_000 };

export interface FigureProgram { program: string; input: string; problem: string }

/** Of a block: a program of the library with an input as its body, or both in the body. */
export async function figureProgram(block: Block, library: LibraryProgram[], problemOf: (name: string) => string, call: Client['call']): Promise<FigureProgram> {
  const known = library.find(({ name }) => name === block.name);
  if (block.name !== '' && !known) throw new Error(`There is no program '${block.name}'.`);
  const [program, given] = known ? [known.text, block.body.trim()] : halves(block.body);
  const { inputs } = await call('check', program);
  const input = given !== '' ? given : await generatedInput(inputs, block.options.inputs ?? 'random', Number(block.options.size ?? 8), 1, call);
  return { program, input, problem: problemOf(block.name) };
}

export class Figure {
  private drawn: { drawing: Drawing; picture: SvgPicture } | null = null;
  private readonly stage: HTMLElement;

  constructor(private readonly host: HTMLElement, number: number, private readonly block: Block, private readonly of: FigureProgram,
              private readonly run: Run, meta: string, open: () => void) {
    const rows = of.program.trimEnd().split('\n').map((line, i) => `<span class="row" data-line="${i + 1}"><span class="number">${i + 1}</span><span>${escape(line) || ' '}</span></span>`);
    host.innerHTML = `<figure aria-label="Figure ${number}"><pre class="listing" tabindex="0" aria-label="Program of figure ${number}">${rows.join('')}</pre>
      <div class="stage"></div>
      <figcaption><button type="button" data-act="back" aria-label="Back in figure ${number}">Back</button><button type="button" data-act="step" class="primary" aria-label="Step in figure ${number}">Step</button>
        <input type="range" min="0" max="${run.end}" aria-label="Time of figure ${number}"><output></output>
        <button type="button" data-act="open" aria-label="Open in the lab: figure ${number}">Open in the lab</button></figcaption></figure>`;
    this.stage = host.querySelector<HTMLElement>('.stage')!;
    if (meta !== '') this.stage.innerHTML = meta;
    host.querySelector('input')!.addEventListener('input', (event) => this.seek(Number((event.target as HTMLInputElement).value)));
    host.querySelectorAll<HTMLElement>('[data-act]').forEach((button) => button.addEventListener('click', () => {
      if (button.dataset.act === 'open') open();
      else this.seek(run.position + (button.dataset.act === 'step' ? 1 : -1));
    }));
    const { step } = block.options;
    this.seek(step === 'end' ? run.end : Number(step ?? 0));
  }

  static async make(host: HTMLElement, number: number, block: Block, of: FigureProgram, call: Client['call'], open: () => void): Promise<Figure> {
    const run = new Run(await call('run', of.program, of.input, LIMITS.steps, LIMITS.changes));
    return new Figure(host, number, block, of, run, block.options.view === 'meta' ? await metaHtml(of, call) : '', open);
  }

  private seek(position: number): void {
    const { run, host } = this;
    run.seek(position);
    const at = run.position;
    const line = at === 0 ? 0 : run.step(at).line;
    host.querySelector('input')!.value = String(at);
    host.querySelectorAll<HTMLElement>('[data-line]').forEach((row) => {
      const current = Number(row.dataset.line) === line;
      row.classList.toggle('current', current && !run.atFailure);
      row.classList.toggle('failed', current && run.atFailure);
    });
    const row = host.querySelector<HTMLElement>('.listing .current, .listing .failed');
    const listing = host.querySelector<HTMLElement>('.listing')!;
    if (row && (row.offsetTop < listing.scrollTop || row.offsetTop + 20 > listing.scrollTop + listing.clientHeight)) listing.scrollTop = row.offsetTop - listing.clientHeight / 2;
    const [back, step] = ['back', 'step'].map((act) => host.querySelector<HTMLButtonElement>(`[data-act=${act}]`)!);
    back.disabled = at === 0;
    step.disabled = at === run.end;
    const end = run.summary.end;
    host.querySelector('output')!.textContent = run.atFailure && end.kind === 'error' ? `Step ${at}: ${end.message.split('\n')[0].replace(/^[^:]*:\d+:\d+: /, '')}`
      : `Step ${at} of ${run.end}${at > 0 ? `, ${plural(run.step(at).active, 'active processor')}` : ''}`;
    this.draw();
  }

  private draw(): void {
    const { view } = this.block.options;
    if (view === 'meta') return;
    if (view === 'graph') { this.graph(); return; }
    const choice = { ...firstChoice(this.run), flow: view === 'flow' };
    if (this.block.options.arrays) choice.arrays = new Set(this.run.summary.variables.flatMap(({ name }, i) => (this.block.options.arrays.split(',').includes(name) ? [i] : [])));
    const height = Number(this.block.options.height ?? (view === 'flow' ? 420 : 330));
    this.stage.innerHTML = picture(this.run, choice, Math.max(300, this.stage.clientWidth - 4), height);
  }

  private graph(): void {
    const network = networkOf(this.run);
    if (!network) return;
    const { run, of } = this;
    if (!this.drawn) {
      const sided = network.nodes.some(({ side }) => side !== 'all');
      const layout = (this.block.options.layout ?? (sided ? 'sides' : network.pointers ? 'line' : 'force')) as LayoutName;
      const spots = placed(network, layout, 0);
      if (layout === 'force') new Forces(spots, network, () => undefined).settle(1, 300);
      const drawing: Drawing = { network, spots, looks: { nodes: [], edges: [], arrows: [] }, arcs: layout === 'line', node: -1, edge: -1, zoom: { x: 0, y: 0, k: 1 }, rubber: null };
      this.stage.classList.add('of-graph');
      const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
      const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      this.drawn = { drawing, picture: new SvgPicture(this.stage, drawing) };
      const { zoom } = drawing;
      const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
      zoom.k = Math.min(1.3, width / (right - left + 100), height / (bottom - top + 90));
      [zoom.x, zoom.y] = [width / 2 - (zoom.k * (left + right)) / 2, height / 2 - (zoom.k * (top + bottom)) / 2];
      this.drawn.picture.transform();
      this.drawn.picture.element.removeAttribute('aria-hidden');
      this.drawn.picture.element.setAttribute('role', 'img');
      this.drawn.picture.element.setAttribute('aria-label', `Graph of ${network.nodes.length} nodes`);
    }
    const { drawing, picture: svg } = this.drawn;
    drawing.looks = looksOf(run, network, firstShown(run, network), certificateOf(of.problem, run));
    svg.draw();
    svg.place();
  }
}

/** The meta-program with and without optimisations, and how many kernels each takes. */
async function metaHtml({ program, input }: FigureProgram, call: Client['call']): Promise<string> {
  const parts = [['all'], []].map(async (without) => {
    const [{ lines }, { kernels, tests }] = await Promise.all([call('explain', program, without), call('kernelSteps', program, input, without, LIMITS.steps)]);
    return `<h3>${without.length > 0 ? 'Without optimisations' : 'With all optimisations'}: ${plural(kernels, 'kernel')}, ${plural(tests, 'test')}</h3><pre tabindex="0">${escape(lines.map(({ text }) => text).join('\n'))}</pre>`;
  });
  return (await Promise.all(parts)).join('');
}
