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
/** Milliseconds: the median and the worst, of the time that passed and of the work in it. */
export interface Walked { median: number; worst: number; work: { median: number; worst: number }; layouts: number }

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
  const of = (all: number[]) => {
    const sorted = all.sort((a, b) => a - b);
    return { median: sorted[sorted.length >> 1], worst: sorted[sorted.length - 1] };
  };
  return { ...of(times), work: of(works), layouts: (layouts - begin.layouts) / acts.length };
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
