/** The view Array of a recorded run in a notebook: what anywidget shows for lanewise.pram.widget. */
import { inWords } from './status';
import { Run } from './run';
import style from './style.css?inline';
import type { Arrays, Summary } from './types';
import { ArrayView } from './views/array/view';
import type { Scene } from './views/view';

interface Model { get(name: 'summary' | 'source'): string; get(name: 'arrays'): DataView[] }

const FRAME = `
  .widget { font: 14px/1.4 system-ui, 'DejaVu Sans', sans-serif; color: var(--text); background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px }
  .steps { display: flex; align-items: center; gap: 8px; font-size: 13px } .steps input { flex: 1 } .now { margin: 4px 0 8px; color: var(--muted); font-size: 13px }
  .view { height: 460px; overflow: auto }`;

/** Copies, since typed arrays begin at multiples of their elements. */
function arraysOf(views: DataView[]): Arrays {
  const [initial, steps, work, depth, changed, before, after, accesses, active] =
    views.map(({ buffer, byteOffset, byteLength }) => buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
  return {
    initial: new BigInt64Array(initial), steps: new Uint32Array(steps), work: new Float64Array(work), depth: new Float64Array(depth), changed: new Uint32Array(changed),
    before: new BigInt64Array(before), after: new BigInt64Array(after), accesses: new Uint32Array(accesses), active: new Uint32Array(active),
  };
}

/** Fills the element; returns what ends the view. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const run = new Run({ summary: JSON.parse(model.get('summary')) as Summary, arrays: arraysOf(model.get('arrays')) });
  const source = model.get('source');
  const host = document.createElement('div');
  // A dark notebook says so by the colour scheme that it sets.
  const dark = getComputedStyle(el).colorScheme === 'dark' || document.body.dataset.jpThemeLight === 'false';
  if (dark) host.dataset.theme = 'dark';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style.replaceAll(":root[data-theme='dark']", ":host([data-theme='dark'])").replaceAll(':root', ':host') + FRAME);
  root.adoptedStyleSheets = [sheet];
  root.innerHTML = `<div class="widget"><div class="steps"><button type="button" data-by="-1" aria-label="Step back">◀</button>
    <button type="button" data-by="1" aria-label="Step">▶</button><input type="range" min="0" max="${run.end}" value="0" aria-label="Step of the run"><output></output></div>
    <p class="now"></p><div class="view"></div></div>`;
  const find = <T extends HTMLElement>(selector: string): T => root.querySelector<T>(selector)!;
  const time = find<HTMLInputElement>('input[type=range]');
  const view = new ArrayView();
  const show = (position: number): void => {
    run.seek(position);
    time.value = String(run.position);
    find('output').textContent = `Step ${run.position} of ${run.end}`;
    const { end } = run.summary;
    find('.now').innerHTML = inWords(run, source);
    if (run.atFailure && end.kind === 'error') find('.now').append(` ${end.message.split('\n')[0]}`);
    root.querySelectorAll<HTMLButtonElement>('[data-by]').forEach((button) => { button.disabled = run.position === (button.dataset.by === '1' ? run.end : 0); });
    view.draw();
  };
  time.addEventListener('input', () => show(Number(time.value)));
  root.querySelectorAll<HTMLButtonElement>('[data-by]').forEach((button) => button.addEventListener('click', () => show(run.position + Number(button.dataset.by))));
  el.append(host);
  view.show(find('.view'), { run, source: source.split('\n') } as Scene);
  show(0);
  return () => view.hide();
}

export default { render };
