/** A page of the built site, loaded anew for each test, and what tests do with it. Import once in a file. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Snapshot } from '../src/app';
import { launch, open, serve, watch } from './browser';
import type { State } from './trace';

let site: Awaited<ReturnType<typeof serve>>;
let browser: Browser;
let present: Page;
let problems: string[];
const others: string[][] = [];
const SIZE = { width: 1280, height: 800 };

export const page = (): Page => present;
/** Another page, whose errors count as well. */
export async function another(options: BrowserContextOptions = {}): Promise<Page> {
  const made = await browser.newPage({ viewport: SIZE, ...options });
  others.push(watch(made, site.url));
  return made;
}
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
  expect([...problems.splice(0), ...others.splice(0).flat()], 'console errors, or requests to elsewhere').toEqual([]);
});

export const button = (name: string) => page().getByRole('button', { name, exact: true });
export const time = () => page().getByRole('slider', { name: 'Time' });
export const snapshot = () => page().evaluate(() => (window as unknown as { lab: { snapshot(): Snapshot } }).lab.snapshot());
export const source = () => page().evaluate(() => (window as unknown as { lab: { editor: { text: string } } }).lab.editor.text);
export const input = () => page().getByRole('textbox', { name: 'Input' });
/** Until the page shows what was chosen last. */
export const idle = () => page().evaluate(() => (window as unknown as { lab: { idle(): Promise<void> } }).lab.idle());
export const settled = () => page().waitForFunction(() => document.getElementById('where')!.textContent!.startsWith('Step 0 of'));

/** Until each figure of the lesson is drawn. A place has no stage before its program has run. */
export const figuresDrawn = () =>
  page().waitForFunction(() => [...document.querySelectorAll('#lesson .figure')].every((place) => (place.querySelector('.stage')?.childElementCount ?? 0) > 0));

/** The states of the whole run, by the buttons Step and Back, as trace() gives them. */
export async function walk(): Promise<{ forwards: State[]; backwards: State[] }> {
  const walked = await page().evaluate(() => {
    const lab = (window as unknown as { lab: { snapshot(): Snapshot } }).lab;
    const press = (id: string) => (document.getElementById(id) as HTMLButtonElement).click();
    const forwards = [lab.snapshot()];
    while (forwards[forwards.length - 1].position < forwards[0].end) { press('step'); forwards.push(lab.snapshot()); }
    const backwards = [lab.snapshot()];
    while (backwards[0].position > 0) { press('back'); backwards.unshift(lab.snapshot()); }
    return { forwards, backwards };
  });
  const states = (list: Snapshot[]) => list.map(({ line, active, work, depth, variables }) => ({ line, active, work, depth, variables }));
  return { forwards: states(walked.forwards), backwards: states(walked.backwards) };
}

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
export async function type(text: string, ends = true, on = page()): Promise<void> {
  await on.getByRole('textbox', { name: 'Source' }).click();
  await on.keyboard.press('Control+A');
  await on.keyboard.insertText(text);
  if (ends) await idle();
}
