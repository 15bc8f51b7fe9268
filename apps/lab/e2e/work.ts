/** The work of the page's main thread, in its own time: other programs of a loaded machine do not count. */
import type { Page } from 'playwright-core';

/** Seconds since the page began: of all tasks, and of scripts, styles and layout in them; and how often layout was computed. */
interface Spent { all: number; drawing: number; layouts: number }
export interface Meter { read(): Promise<Spent>; close(): Promise<void> }

export async function meter(page: Page): Promise<Meter> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    read: async () => {
      const of = new Map((await debug.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
      const sum = (...names: string[]) => names.reduce((all, name) => all + of.get(name)!, 0);
      return { all: sum('TaskDuration'), drawing: sum('ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'), layouts: sum('LayoutCount') };
    },
    close: () => debug.detach(),
  };
}

/** Step, Back, or a place of the time line. */
export type Act = 'step' | 'back' | number;
/** Milliseconds: of most, 95 of 100. */
export interface Times { median: number; most: number; worst: number }
/** The time that passed, and the work in it. */
export interface Walked { passed: Times; work: Times; layouts: number }

export function summarize(times: number[]): Times {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { median: at(0.5), most: at(0.95), worst: at(1) };
}

/** A step, in each view, of one program of each kind. */
export const VIEWS = ['Array', 'Graph', 'Meta-program', 'Kernel', 'Cost'];
export const PROGRAMS = [['Sort', 'sort'], ['Prefix sums', 'scan'], ['Components', 'components']] as const;
/** About 10,000 steps. */
export const LONG = { program: 'mode EREW\ninput A[n] : int\noutput B[n] : int\nfor k = 0 to 3300 { B[k % n] = k }\n', input: 'A = 5 6 7 8 9 1 2 3' };
/** Steps of 1,000,000 processors. */
export const MILLION = { program: 'mode CREW\ninput n : int\noutput A[n] : int\nprocessors n\nA[p] = p % 1000\nA[p] = A[p] + 1\nA[p] = 2 * A[p]\n', input: 'n = 1000000' };

/** `count` steps from places all over a run, forwards and back. */
export const everywhere = (last: number, count: number): Act[] =>
  Array.from({ length: count }, (_, i) => [Math.round(((last - 1) * i) / count), 'step', 'back'] as const).flat();
/** Places along the whole time line. */
export const along = (last: number): Act[] => Array.from({ length: 301 }, (_, i) => Math.round((last * i) / 300));
/** Three steps and back, four times. */
export const BACK_AND_FORTH: Act[] = Array.from({ length: 4 }, () => ['step', 'step', 'step', 'back', 'back', 'back'] as const).flat();

/** Presses Step or Back, or drags the time line, each in a frame of its own and with its layout. */
export async function walk(page: Page, acts: Act[]): Promise<Walked> {
  const spent = await meter(page);
  const times: number[] = [];
  const works: number[] = [];
  const begin = await spent.read();
  for (const act of acts) {
    const before = await spent.read();
    times.push(await page.evaluate(async (one) => {
      // A task after a frame, as those of real events: what was drawn then is done.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const start = performance.now();
      if (typeof one === 'string') document.getElementById(one)!.click();
      else {
        const slider = document.getElementById('time') as HTMLInputElement;
        slider.value = String(one);
        slider.dispatchEvent(new Event('input'));
      }
      void document.body.offsetHeight;
      return performance.now() - start;
    }, act));
    works.push(1000 * ((await spent.read()).drawing - before.drawing));
  }
  const { layouts } = await spent.read();
  await spent.close();
  return { passed: summarize(times), work: summarize(works), layouts: (layouts - begin.layouts) / acts.length };
}

/** Milliseconds of work in a frame, the mean of `count`. */
export async function workOfFrame(page: Page, count: number): Promise<number> {
  const spent = await meter(page);
  const before = await spent.read();
  await page.evaluate(async (frames) => { for (let i = 0; i < frames; ++i) await new Promise((resolve) => requestAnimationFrame(resolve)); }, count);
  const after = await spent.read();
  await spent.close();
  return (1000 * (after.all - before.all)) / count;
}
