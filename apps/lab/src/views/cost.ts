/** What each line costs, and what each step does: its active processors and its kernel. */
import { escape, plural } from '../dom';
import { fit, type Point } from '../growth';
import type { Kernels } from '../kernels';
import type { Run } from '../run';
import type { Explanation, Measured } from '../types';
import { measureTimes } from './times';
import type { Scene, View } from './view';

const WIDTH = 760;
const HEIGHT = 64;
/** The strip of kernels below the processors. */
const STRIP = { top: 68, height: 8 };
const MOST_SECONDS = 3;
const MOST_WORK = 2e7;

export class CostView implements View {
  private scene!: Scene;
  private host!: HTMLElement;
  /** The last step of each kernel; null until they are known. */
  private ends: number[] | null = null;

  show(host: HTMLElement, scene: Scene): void {
    this.host = host;
    this.scene = scene;
    const { cost } = scene.run.summary;
    this.ends = null;
    const byLine = new Map(cost.lines.map((line) => [line[0], line]));
    const depths = depthOfLines(scene.run);
    const count = (value: number) => `<td>${value.toLocaleString('en')}</td>`;
    const cells = (n: number) => {
      const line = byLine.get(n);
      return line ? `${count(line[1])}${count(line[2])}${count(depths.get(n) ?? 0)}<td class="kernels"></td>${count(line[3])}` : '<td></td>'.repeat(5);
    };
    const rows = scene.source.map((text, i) => `<tr data-line="${i + 1}">${cells(i + 1)}<td><span class="number">${i + 1}</span>${escape(text)}</td></tr>`);
    const total = `${[cost.steps, cost.work, cost.depth].map(count).join('')}<td class="kernels"></td>${count(cost.peak)}`;
    host.innerHTML = `
      <svg class="picture plot" width="100%" viewBox="0 0 ${WIDTH} ${STRIP.top + STRIP.height}" preserveAspectRatio="none" role="img" aria-label="Active processors and kernels along time">
        ${this.area()}<g class="launches"></g><line class="cursor" y1="0" y2="${STRIP.top + STRIP.height}"/>
      </svg>
      <p class="caption">Active processors in each step, and below them the kernels. <span class="sofar"></span></p>
      <div class="options"><button type="button" data-act="growth">Measure growth</button><button type="button" data-act="times">Measure times</button>
        <span class="muted">on generated inputs of growing n: work and depth; seconds on each executor</span></div>
      <div class="growth"></div><div class="times"></div>
      <table class="lines"><thead><tr>${['Steps', 'Work', 'Depth', 'Kernels', 'Peak', 'Line'].map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
      <tbody>${rows.join('')}<tr class="total">${total}<td>in all; a kernel may run several lines</td></tr></tbody></table>`;
    host.querySelector<HTMLButtonElement>('[data-act=growth]')!.addEventListener('click', (event) => void this.growth(event.target as HTMLButtonElement));
    host.querySelector<HTMLButtonElement>('[data-act=times]')!.addEventListener('click', (event) => void this.times(event.target as HTMLButtonElement));
    this.draw();
    void this.launches();
  }

  /** Fills in the kernels: of each line, in all, along time. */
  private async launches(): Promise<void> {
    const { scene, host } = this;
    const [{ units }, kernels] = await Promise.all([scene.explain(), scene.kernelSteps()]);
    const strip = host.querySelector('.launches');
    if (scene !== this.scene || !strip) return;  // another run or view is shown by now
    const ofLine = new Map<number, number>();
    this.ends = [];
    for (let i = 0; i < kernels.ends.length; i += 2) {
      const unit = units[kernels.ends[i + 1]];
      if (unit?.kind !== 'kernel') continue;
      this.ends.push(kernels.ends[i]);
      for (const line of unit.lines) ofLine.set(line, (ofLine.get(line) ?? 0) + 1);
    }
    for (const cell of host.querySelectorAll('.lines .kernels')) {
      const line = cell.closest('tr')!.dataset.line;
      cell.textContent = (line === undefined ? this.ends.length : ofLine.get(Number(line)) ?? 0).toLocaleString('en');
    }
    strip.innerHTML = this.strip(kernels, units);
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
    const sofar = this.host.querySelector('.sofar');
    if (sofar) sofar.textContent = this.soFar();
    this.host.querySelector('tr.current')?.classList.remove('current');
    if (run.position === 0) return;
    this.host.querySelector(`tr[data-line="${run.step(run.position).line}"]`)?.classList.add('current');
  }

  /** The costs up to the current position that the page does not show elsewhere. */
  private soFar(): string {
    const { run } = this.scene;
    let peak = 0;
    for (let k = 1; k <= run.position; ++k) peak = Math.max(peak, run.active(k));
    const { ends } = this;
    if (!ends) return `So far: peak ${peak.toLocaleString('en')}.`;
    const later = ends.findIndex((end) => end > run.position);
    const done = later < 0 ? ends.length : later;
    return `So far: ${done.toLocaleString('en')} of ${plural(ends.length, 'kernel')}, peak ${peak.toLocaleString('en')}.`;
  }

  /** The last step of each column; at most one column a pixel. */
  private columns(): number[] {
    const { end } = this.scene.run;
    const columns = Math.min(end, WIDTH);
    return Array.from({ length: columns }, (_, c) => Math.floor(((c + 1) * end) / columns));
  }

  /** The most active step of each column. */
  private area(): string {
    const { run } = this.scene;
    const columns = this.columns();
    if (columns.length === 0) return '';
    const peak = Math.max(1, run.summary.cost.peak);
    const x = (c: number) => ((c * WIDTH) / columns.length).toFixed(1);
    let path = `M0 ${HEIGHT}`;
    columns.forEach((last, c) => {
      let most = 0;
      for (let k = (columns[c - 1] ?? 0) + 1; k <= last; ++k) most = Math.max(most, run.active(k));
      const y = (HEIGHT * (1 - most / peak)).toFixed(1);
      path += `L${x(c)} ${y}L${x(c + 1)} ${y}`;
    });
    return `<path class="area" d="${path}L${WIDTH} ${HEIGHT}Z"/>`;
  }

  /** Kernels in two shades by turns; nothing where the host works. */
  private strip(kernels: Kernels, units: Explanation['units']): string {
    const columns = this.columns();
    const shades = ['', ''];
    const x = (c: number) => ((c * WIDTH) / columns.length).toFixed(1);
    let turn = 0;
    for (let from = 0, to; from < columns.length; from = to) {
      const number = kernels.of(columns[from]);
      for (to = from + 1; to < columns.length && kernels.of(columns[to]) === number;) ++to;
      if (units[kernels.unit(columns[from])]?.kind !== 'kernel') continue;
      shades[turn ^= 1] += `M${x(from)} ${STRIP.top}H${x(to)}v${STRIP.height}H${x(from)}Z`;
    }
    return shades.map((path, i) => `<path class="launch${i === 0 ? '' : ' odd'}" d="${path}"/>`).join('');
  }
}

/** By how much the steps of each line make the run deeper. */
function depthOfLines(run: Run): Map<number, number> {
  const depths = new Map<number, number>();
  for (let k = 1; k <= run.done; ++k) {
    const { line } = run.step(k);
    depths.set(line, (depths.get(line) ?? 0) + run.depth(k) - run.depth(k - 1));
  }
  return depths;
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
