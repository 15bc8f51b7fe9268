/** Times of a program on each executor, for growing inputs, beside each other. */
import { escape } from '../dom';
import { duration } from '../machine';
import { TUNED, type Executor } from '../server';
import type { Scene } from './view';

const LEAST = 16;
const MOST = 1 << 20;
const LONG = 1_000;  // milliseconds of one request; an executor that takes longer gets no larger input
const PATIENCE = 4_000;
const MOST_TEXT = 12e6;  // bytes of an input

const ENOUGH = 'larger ones take long';

type Form = 'auto' | 'bitset' | 'list';
interface Series { executor: Executor; form: Form; title: string; points: { n: number; seconds: number }[]; over: string }

/** A shape and a colour for each executor; hollow and dashed where active sets are lists. */
const MARKS: Record<string, string> = {
  browser: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z', interpreter: 'M-4-4h8v8h-8Z', cpu: 'M0-5l5 9h-10Z', cuda: 'M0-5.5l5.5 5.5-5.5 5.5-5.5-5.5Z', opencl: 'M-5-4h10l-5 9Z', 'cuda-group': 'M-5-3.5h10v7h-10Z', 'opencl-group': 'M-3.5-5h7v10h-7Z', tuned: 'M-4-4l8 8m0-8l-8 8',
};

function seriesOf(executors: Executor[]): Series[] {
  return executors.flatMap((executor) => {
    const forms: Form[] = ['browser', 'interpreter', 'cuda-group', 'opencl-group', TUNED].includes(executor.name) || executor.reason ? ['auto'] : ['bitset', 'list'];
    return forms.map((form) => ({ executor, form, title: form === 'auto' ? executor.title : `${executor.title}, ${form}`, points: [], over: executor.reason }));
  });
}

/** Runs all executors on larger and larger inputs; ends when the host is gone. */
export async function measureTimes(host: HTMLElement, scene: Scene): Promise<void> {
  const series = seriesOf(scene.executors());
  for (let n = LEAST; n <= MOST; n *= 4) {
    const input = await scene.generated(n);
    if (input.length > MOST_TEXT) break;
    for (const one of series.filter(({ over }) => over === '')) {
      const start = performance.now();
      const left = new AbortController();
      const watch = window.setInterval(() => { if (!host.isConnected || performance.now() - start > PATIENCE) left.abort(); }, 50);
      try {
        one.points.push({ n, seconds: Math.max(await scene.time(one.executor.name, one.form, input, left.signal), 1e-9) });
        if (performance.now() - start > LONG) one.over = ENOUGH;
      } catch (error) {
        one.over = left.signal.aborted ? ENOUGH : (error as Error).message.split('\n')[0];
      }
      clearInterval(watch);
      if (!host.isConnected) return;
      host.innerHTML = picture(series);
    }
    if (series.every(({ over }) => over !== '')) return;
  }
}

function picture(series: Series[]): string {
  const [width, height, left, bottom] = [396, 230, 52, 22];
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return '';
  const [low, high] = [Math.min(...points.map(({ seconds }) => seconds)), Math.max(...points.map(({ seconds }) => seconds))].map(Math.log10);
  const [from, to] = [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
  const last = Math.max(LEAST * 4, ...points.map(({ n }) => n));
  const x = (n: number) => left + 10 + ((width - left - 24) * Math.log2(n / LEAST)) / Math.log2(last / LEAST);
  const y = (seconds: number) => 8 + (height - bottom - 8) * (1 - (Math.log10(seconds) - from) / (to - from));
  const parts: string[] = [];
  for (let decade = from; decade <= to; ++decade) {
    parts.push(`<line class="axis" x1="${left}" x2="${width}" y1="${y(10 ** decade)}" y2="${y(10 ** decade)}"/>`,
      `<text class="faint" text-anchor="end" x="${left - 4}" y="${y(10 ** decade) + 4}">${duration(10 ** decade).replace(/\.0+ /, ' ')}</text>`);
  }
  for (let n = LEAST; n <= last; n *= 4) parts.push(`<text class="faint" text-anchor="middle" x="${x(n)}" y="${height - 4}">${n >= 1 << 20 ? `${n >> 20}M` : n >= 1024 ? `${n >> 10}k` : n}</text>`);
  const mark = (one: Series, at: string) => `<path class="mark of-${one.executor.name} ${one.form}" d="${MARKS[one.executor.name]}" transform="translate(${at})"/>`;
  for (const one of series) {
    parts.push(`<path class="time of-${one.executor.name} ${one.form}" d="${one.points.map(({ n, seconds }, i) => `${i === 0 ? 'M' : 'L'}${x(n).toFixed(1)} ${y(seconds).toFixed(1)}`).join('')}"/>`,
      ...one.points.map(({ n, seconds }) => mark(one, `${x(n).toFixed(1)} ${y(seconds).toFixed(1)}`)));
  }
  const rows = series.map((one) => {
    const last = one.points[one.points.length - 1];
    const found = last ? `<td>${last.n.toLocaleString('en')}</td><td>${duration(last.seconds)}</td>` : `<td class="muted reason" colspan="2">${escape(one.over)}</td>`;
    return `<tr><th scope="row"><svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">${mark(one, '0 0')}</svg> ${escape(one.title)}</th>${found}</tr>`;
  });
  return `<div class="measured"><figure><svg class="picture" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Time over n on each executor">${parts.join('')}</svg>
    <figcaption>The fastest of up to five runs, with copies to and from a GPU, without compilation. “Tuned” is another algorithm for the same problem, on cores.</figcaption></figure>
    <table class="executors"><thead><tr><th scope="col">Executor</th><th scope="col">Largest n</th><th scope="col">Time</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
