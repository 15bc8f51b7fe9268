/** Steps, work and most active processors of each line, and the active processors along time. */
import { escape } from '../dom';
import { fit, type Point } from '../growth';
import type { Measured } from '../types';
import { measureTimes } from './times';
import type { Scene, View } from './view';

const WIDTH = 760;
const HEIGHT = 64;
const MOST_SECONDS = 3;
const MOST_WORK = 2e7;

export class CostView implements View {
  private scene!: Scene;
  private host!: HTMLElement;

  show(host: HTMLElement, scene: Scene): void {
    this.host = host;
    this.scene = scene;
    const { cost } = scene.run.summary;
    const byLine = new Map(cost.lines.map((line) => [line[0], line]));
    const rows = scene.source.map((text, i) => {
      const line = byLine.get(i + 1);
      const cells = line ? line.slice(1).map((value) => `<td>${value.toLocaleString('en')}</td>`).join('') : '<td></td><td></td><td></td>';
      return `<tr data-line="${i + 1}">${cells}<td><span class="number">${i + 1}</span>${escape(text)}</td></tr>`;
    });
    const total = [cost.steps, cost.work, cost.peak].map((value) => `<td>${value.toLocaleString('en')}</td>`).join('');
    host.innerHTML = `
      <svg class="picture plot" width="100%" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Active processors along time">
        ${this.area()}<line class="cursor" y1="0" y2="${HEIGHT}"/>
      </svg>
      <p class="caption">Active processors in each step, at most ${cost.peak.toLocaleString('en')}</p>
      <div class="options"><button type="button" data-act="growth">Measure growth</button><button type="button" data-act="times">Measure times</button>
        <span class="muted">on generated inputs of growing n: work and depth; seconds on each executor</span></div>
      <div class="growth"></div><div class="times"></div>
      <table class="lines"><thead><tr><th scope="col">Steps</th><th scope="col">Work</th><th scope="col">Peak</th><th scope="col">Line</th></tr></thead>
      <tbody>${rows.join('')}<tr class="total">${total}<td>in all; depth ${cost.depth.toLocaleString('en')}</td></tr></tbody></table>`;
    host.querySelector<HTMLButtonElement>('[data-act=growth]')!.addEventListener('click', (event) => void this.growth(event.target as HTMLButtonElement));
    host.querySelector<HTMLButtonElement>('[data-act=times]')!.addEventListener('click', (event) => void this.times(event.target as HTMLButtonElement));
    this.draw();
  }

  private async times(button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    await measureTimes(this.host.querySelector<HTMLElement>('.times')!, this.scene);
    button.disabled = false;
  }

  /** Doubles n until a run takes long; shows costs and the curves that fit them. */
  private async growth(button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    const { scene } = this;
    const rows: { n: number; cost: Measured }[] = [];
    const host = this.host.querySelector<HTMLElement>('.growth')!;
    try {
      for (let n = 4, total = 0; n <= 1 << 14 && total < MOST_SECONDS; n *= 2) {
        const start = performance.now();
        const cost = await scene.measure(n);
        total += (performance.now() - start) / 1000;
        rows.push({ n, cost });
        if (!host.isConnected) return;
        host.innerHTML = growthOf(rows);
        if (cost.work > MOST_WORK) break;
      }
    } catch (error) {
      host.insertAdjacentHTML('beforeend', `<p class="muted">${escape((error as Error).message.split('\n')[0])}</p>`);
    }
    button.disabled = false;
  }

  draw(): void {
    const { run } = this.scene;
    const x = String((WIDTH * run.position) / Math.max(1, run.end));
    const cursor = this.host.querySelector('.cursor');
    cursor?.setAttribute('x1', x);
    cursor?.setAttribute('x2', x);
    this.host.querySelector('tr.current')?.classList.remove('current');
    if (run.position === 0) return;
    this.host.querySelector(`tr[data-line="${run.step(run.position).line}"]`)?.classList.add('current');
  }

  /** At most one column a pixel: the most active of its steps. */
  private area(): string {
    const { run } = this.scene;
    const columns = Math.min(run.end, WIDTH);
    if (columns === 0) return '';
    const peak = Math.max(1, run.summary.cost.peak);
    let path = `M0 ${HEIGHT}`;
    for (let c = 0; c < columns; ++c) {
      const last = Math.max(Math.floor(((c + 1) * run.end) / columns), 1);
      let most = 0;
      for (let k = Math.floor((c * run.end) / columns) + 1; k <= last; ++k) most = Math.max(most, run.active(k));
      const y = (HEIGHT * (1 - most / peak)).toFixed(1);
      path += `L${((c * WIDTH) / columns).toFixed(1)} ${y}L${(((c + 1) * WIDTH) / columns).toFixed(1)} ${y}`;
    }
    return `<path class="area" d="${path}L${WIDTH} ${HEIGHT}Z"/>`;
  }
}

/** Depth and work over n, both axes logarithmic, each with the curve that fits. */
function growthOf(rows: { n: number; cost: Measured }[]): string {
  const [width, height, left, bottom] = [380, 190, 44, 20];
  const most = Math.max(10, ...rows.map(({ cost }) => cost.work));
  const last = Math.max(8, rows[rows.length - 1].n);
  const x = (n: number) => left + ((width - left - 24) * Math.log2(n / 4)) / Math.log2(last / 4);
  const y = (value: number) => 8 + (height - bottom - 8) * (1 - Math.log10(Math.max(1, value)) / Math.log10(most));
  const path = (points: Point[]) => points.map(({ n, value }, i) => `${i === 0 ? 'M' : 'L'}${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const parts: string[] = [];
  for (let decade = 1; decade <= most; decade *= 10) {
    parts.push(`<line class="axis" x1="${left}" x2="${width}" y1="${y(decade)}" y2="${y(decade)}"/>`,
      `<text class="faint" text-anchor="end" x="${left - 4}" y="${y(decade) + 4}">${decade >= 1e6 ? `${decade / 1e6}M` : decade >= 1000 ? `${decade / 1000}k` : decade}</text>`);
  }
  const step = Math.max(1, Math.ceil(rows.length / 7));
  rows.forEach(({ n }, i) => { if (i % step === 0) parts.push(`<text class="faint" text-anchor="middle" x="${x(n)}" y="${height - 4}">${n}</text>`); });
  const found: string[] = [];
  for (const [name, kind] of [['depth', 'read'], ['work', 'write']] as const) {
    const points = rows.map(({ n, cost }) => ({ n, value: cost[name] }));
    parts.push(...points.map(({ n, value }) => (kind === 'read' ? `<circle class="dot ${kind}" cx="${x(n)}" cy="${y(value)}" r="4"/>` : `<rect class="dot ${kind}" x="${x(n) - 3.5}" y="${y(value) - 3.5}" width="7" height="7"/>`)));
    if (points.length < 4) continue;
    const curve = fit(points);
    found.push(`${name} grows like <b>${curve.name}</b>`);
    parts.push(`<path class="arrow ${kind}" d="${path(points.map(({ n }) => ({ n, value: curve.at(n) })))}"/>`);
  }
  const cells = rows.map(({ n, cost }) => `<tr><td>${n.toLocaleString('en')}</td><td>${cost.depth.toLocaleString('en')}</td><td>${cost.work.toLocaleString('en')}</td><td>${cost.seconds < 5e-5 ? '< 0.1' : (cost.seconds * 1000).toFixed(1)}</td></tr>`);
  return `<div class="measured"><figure><svg class="picture" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Depth and work over n">${parts.join('')}</svg>
    <figcaption><svg width="12" height="12" aria-hidden="true"><circle class="dot read" cx="6" cy="6" r="4"/></svg> depth <svg width="12" height="12" aria-hidden="true"><rect class="dot write" x="2" y="2" width="8" height="8"/></svg> work${found.length > 0 ? `: ${found.join(', ')}` : ''}</figcaption></figure>
    <table><thead><tr><th scope="col">n</th><th scope="col">Depth</th><th scope="col">Work</th><th scope="col">ms</th></tr></thead><tbody>${cells.join('')}</tbody></table></div>`;
}
