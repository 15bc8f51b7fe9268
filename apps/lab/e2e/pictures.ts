/** Pictures of all views into a folder: npm run pictures FOLDER [doc]. `doc`: only those of the manual; NAME,NAME: only these. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launch, open, serve, serveLab, watch } from './browser';

const folder = process.argv[2] ?? 'build/lab-pictures';
const docs = process.argv[3] === 'doc';
const only = docs ? undefined : process.argv[3];
mkdirSync(folder, { recursive: true });
const site = await serve();
const lab = await serveLab([], {});
const browser = await launch();

const CONFLICT = `# Adds to each number its left neighbour.
mode EREW

input A[n] : int
output B[n] : int

processors n
if p > 0 { B[p] = A[p] + A[p - 1] }
`;

async function choose(page: Page, problem: string, algorithm?: string): Promise<void> {
  await page.getByLabel('Problem').selectOption({ label: problem });
  await page.waitForTimeout(150);
  if (algorithm) await page.getByLabel('Algorithm').selectOption(algorithm);
  await page.waitForTimeout(250);
}

async function to(page: Page, share: number): Promise<void> {
  const time = page.getByRole('slider', { name: 'Time' });
  const last = Number(await time.getAttribute('max'));
  await time.fill(String(Math.round(last * share)));
  await page.waitForTimeout(120);
}

/** As a person types it. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Source' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const view = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** `served`: by lanewise lab. */
interface Shot { name: string; doc?: boolean; served?: boolean; make: (page: Page) => Promise<void> }
const SHOTS: Shot[] = [
  { name: 'scan', doc: true, make: async (page) => { await choose(page, 'Prefix sums', 'scan'); await to(page, 23 / 30); } },
  { name: 'sort', make: async (page) => { await choose(page, 'Sort', 'sort'); await to(page, 0.5); } },
  { name: 'start', make: async (page) => { await choose(page, 'Prefix sums', 'scan'); } },
  { name: 'graph', make: async (page) => { await choose(page, 'Components', 'components'); await view(page, 'Graph'); await to(page, 1); } },
  { name: 'tree', make: async (page) => { await choose(page, 'Spanning tree', 'spanning_forest'); await view(page, 'Graph'); await to(page, 1); } },
  { name: 'matching', doc: true, make: async (page) => { await choose(page, 'Matching'); await view(page, 'Graph'); await to(page, 1); } },
  { name: 'list', make: async (page) => { await choose(page, 'Lists and trees', 'list_ranking'); await view(page, 'Graph'); await to(page, 0.5); } },
  { name: 'depths', make: async (page) => { await choose(page, 'Lists and trees', 'tree_depth'); await view(page, 'Graph'); await to(page, 0.5); } },
  { name: 'tree-middle', make: async (page) => { await choose(page, 'Spanning tree', 'spanning_forest'); await view(page, 'Graph'); await to(page, 0.2); } },
  { name: 'levels', make: async (page) => { await choose(page, 'Distances', 'breadth_first_search'); await view(page, 'Graph'); await to(page, 1); } },
  { name: 'nodes', make: async (page) => {
    await choose(page, 'Components', 'components');
    await view(page, 'Graph');
    await page.getByLabel('Size').fill('500');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.waitForTimeout(6000);
    await to(page, 1);
  } },
  { name: 'distances', make: async (page) => { await choose(page, 'Distances', 'all_pairs_distances'); await to(page, 0.6); } },
  { name: 'distances-graph', make: async (page) => { await choose(page, 'Distances', 'all_pairs_distances'); await view(page, 'Graph'); await to(page, 1); } },
  { name: 'scan-end', make: async (page) => { await choose(page, 'Prefix sums', 'scan'); await to(page, 1); } },
  { name: 'scan-flow', doc: true, make: async (page) => { await choose(page, 'Prefix sums', 'scan'); await page.getByRole('button', { name: 'Flow' }).click(); await to(page, 1); } },
  { name: 'bitonic-flow', make: async (page) => { await choose(page, 'Sort', 'bitonic_sort'); await page.getByRole('button', { name: 'Flow' }).click(); await to(page, 1); } },
  { name: 'sort-flow', make: async (page) => { await choose(page, 'Sort', 'sort'); await page.getByRole('button', { name: 'Flow' }).click(); await to(page, 1); } },
  { name: 'sort-end', make: async (page) => { await choose(page, 'Sort', 'sort'); await to(page, 1); } },
  { name: 'reduction', make: async (page) => { await choose(page, 'Reduction', 'reduction'); await to(page, 1); } },
  { name: 'bitonic', make: async (page) => { await choose(page, 'Sort', 'bitonic_sort'); await to(page, 0.6); } },
  { name: 'heat', make: async (page) => {
    await choose(page, 'Matrices');
    await page.getByLabel('Size').fill('150');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.waitForTimeout(2500);
    await to(page, 0.5);
  } },
  { name: 'heat-near', make: async (page) => {
    await choose(page, 'Matrices');
    await page.getByLabel('Size').fill('150');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.waitForTimeout(2500);
    await to(page, 0.5);
    for (let i = 0; i < 4; ++i) await page.getByRole('button', { name: 'Zoom in' }).click();
  } },
  { name: 'matrix', make: async (page) => { await choose(page, 'Matrices'); await to(page, 0.5); } },
  { name: 'components-array', make: async (page) => { await choose(page, 'Components', 'components'); await to(page, 0.3); } },
  { name: 'meta', doc: true, make: async (page) => { await choose(page, 'Sort', 'sort'); await view(page, 'Meta-program'); await to(page, 0.5); await page.waitForTimeout(200); } },
  { name: 'cost', make: async (page) => { await choose(page, 'Sort', 'sort'); await view(page, 'Cost'); await to(page, 0.5); } },
  { name: 'kernel', make: async (page) => { await choose(page, 'Sort', 'sort'); await view(page, 'Kernel'); await to(page, 0.5); await page.waitForTimeout(200); } },
  { name: 'growth', make: async (page) => {
    await choose(page, 'Prefix sums', 'scan');
    await view(page, 'Cost');
    await page.getByRole('button', { name: 'Measure growth' }).click();
    await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('[data-act=growth]')!.disabled);
    await to(page, 0.5);
  } },
  { name: 'times', doc: true, served: true, make: async (page) => {
    await choose(page, 'Prefix sums', 'scan');
    await page.getByLabel('Executor').selectOption('cpu');
    await view(page, 'Cost');
    await page.getByRole('button', { name: 'Measure times' }).click();
    await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('[data-act=times]')!.disabled, null, { timeout: 120_000 });
    await page.locator('.times').evaluate((times) => times.scrollIntoView({ block: 'end' }));
  } },
  { name: 'executor', served: true, make: async (page) => {
    await choose(page, 'Components', 'components');
    await view(page, 'Graph');
    await page.waitForTimeout(1500);
    await page.getByLabel('Executor').selectOption('cpu');
    await page.waitForTimeout(600);
    await to(page, 1);
  } },
  { name: 'large', make: async (page) => {
    await choose(page, 'Sort', 'sort');
    await page.getByLabel('Size').fill('1000');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.waitForTimeout(1200);
    await to(page, 0.5);
  } },
  { name: 'lessons', make: async (page) => { await page.getByRole('button', { name: 'Lessons' }).click(); } },
  ...[1, 2, 4, 6, 8].map((number): Shot => ({ name: `lesson-${number}`, doc: number === 2, make: async (page) => {
    await page.getByRole('button', { name: 'Lessons' }).click();
    await page.locator('.toc a').nth(number - 1).click();
    await page.waitForTimeout(900);
  } })),
  { name: 'task', make: async (page) => {
    await page.getByRole('button', { name: 'Lessons' }).click();
    await page.locator('.toc a').nth(3).click();
    await page.getByRole('button', { name: 'Work on it' }).click();
    await page.waitForTimeout(600);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.waitForTimeout(900);
  } },
  { name: 'conflict', make: async (page) => {
    await choose(page, 'Prefix sums', 'scan');
    await write(page, CONFLICT);
    await page.waitForTimeout(600);
    await page.getByRole('button', { name: 'Run to conflict' }).click();
    await page.waitForTimeout(200);
  } },
  { name: 'mistake', make: async (page) => {
    await choose(page, 'Prefix sums', 'scan');
    await write(page, CONFLICT.replace('A[p - 1]', 'C[p - 1'));
    await page.waitForTimeout(700);
  } },
];

for (const [look, width, height] of [['light', 1280, 800], ['dark', 1280, 800], ['narrow', 400, 800]] as const) {
  if (docs && look !== 'light') continue;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: look === 'dark' ? 'dark' : 'light' });
  for (const shot of SHOTS.filter(({ name, doc }) => (!docs || doc) && (!only || only.split(',').includes(name)))) {
    const page = await context.newPage();
    const { url } = shot.served ? lab : site;
    const problems = watch(page, url);
    await open(page, url);
    await shot.make(page);
    await page.screenshot({ path: join(folder, docs ? `lab-${shot.name}.png` : `${shot.name}-${look}.png`), fullPage: look === 'narrow' });
    if (problems.length > 0) console.error(shot.name, look, problems);
    await page.close();
  }
  await context.close();
}
await browser.close();
site.close();
lab.close();
