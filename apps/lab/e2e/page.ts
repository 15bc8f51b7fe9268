/** A page of the built site, loaded anew for each test, and what tests do with it. Import once in a file. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Snapshot } from '../src/app';
import { launch, open, serve, watch } from './browser';

let site: Awaited<ReturnType<typeof serve>>;
let browser: Browser;
let present: Page;
let problems: string[];
const SIZE = { width: 1280, height: 800 };

export const page = (): Page => present;
export const host = (): { url: string; browser: Browser } => ({ url: site.url, browser });

beforeAll(async () => {
  site = await serve();
  browser = await launch();
  // One page for all tests: to load it again takes half the time of a new one.
  present = await browser.newPage({ viewport: SIZE });
  problems = watch(present, site.url);
});
afterAll(async () => { await browser.close(); site.close(); });
beforeEach(async () => {
  await present.setViewportSize(SIZE);
  await present.emulateMedia({ media: null, colorScheme: null });
  await open(present, site.url);
});
afterEach(async () => {
  await present.unrouteAll();
  await present.evaluate(() => localStorage.clear());
  expect(problems.splice(0), 'console errors, or requests to elsewhere').toEqual([]);
});

export const button = (name: string) => page().getByRole('button', { name, exact: true });
export const time = () => page().getByRole('slider', { name: 'Time' });
export const snapshot = () => page().evaluate(() => (window as unknown as { lab: { snapshot(): Snapshot } }).lab.snapshot());
export const source = () => page().evaluate(() => (window as unknown as { lab: { editor: { text: string } } }).lab.editor.text);
export const input = () => page().getByRole('textbox', { name: 'Input' });
/** Until the page shows what was chosen last. */
export const idle = () => page().evaluate(() => (window as unknown as { lab: { idle(): Promise<void> } }).lab.idle());
export const settled = () => page().waitForFunction(() => document.getElementById('where')!.textContent!.startsWith('Step 0 of'));

export async function choose(problem: string, algorithm: string): Promise<void> {
  await page().getByLabel('Problem').selectOption({ label: problem });
  await page().getByLabel('Algorithm').selectOption(algorithm);
  // Each choice runs in the worker; its answer is there when a later one is.
  await page().waitForFunction((name) => {
    const lab = (window as unknown as { lab: { idle(): Promise<void> } }).lab;
    return lab.idle().then(() => (document.getElementById('algorithm') as HTMLSelectElement).value === name);
  }, algorithm);
}

/** As a person types it: no paste, no tidying of brackets. */
export async function type(text: string, ends = true): Promise<void> {
  await page().getByRole('textbox', { name: 'Source' }).click();
  await page().keyboard.press('Control+A');
  await page().keyboard.press('Delete');
  await page().keyboard.insertText(text);
  await page().waitForTimeout(400);
  if (ends) await idle();
}

/** Presses Step or Back, or drags the time line to places, each in a frame of its own: milliseconds with layout, and how often layout was computed for one. */
export async function walk(acts: ('step' | 'back' | number)[]): Promise<{ median: number; most: number; layouts: number }> {
  const debug = await page().context().newCDPSession(page());
  await debug.send('Performance.enable');
  const layouts = async () => (await debug.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'LayoutCount')!.value;
  const before = await layouts();
  const times = await page().evaluate(async (all) => {
    const slider = document.getElementById('time') as HTMLInputElement;
    const taken: number[] = [];
    for (const act of all) {
      // A task after a frame, as those of real events: what was drawn then is done.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const begin = performance.now();
      if (typeof act === 'string') document.getElementById(act)!.click();
      else {
        slider.value = String(act);
        slider.dispatchEvent(new Event('input'));
      }
      void document.body.offsetHeight;
      taken.push(performance.now() - begin);
    }
    return taken.sort((a, b) => a - b);
  }, acts);
  const computed = await layouts() - before;
  await debug.detach();
  return { median: times[times.length >> 1], most: times[Math.floor(times.length * 0.95)], layouts: computed / acts.length };
}
