/** The page as `lanewise lab` serves it, with the executors of this machine. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { duration } from '../src/machine';
import { launch, open, root, serveLab, watch } from './browser';

const EMULATED = join(root, 'build/engine/gpu/emulated');
/** Cores that emulate a GPU, where that is built. */
const GPU: NodeJS.ProcessEnv = existsSync(EMULATED) ? { LD_LIBRARY_PATH: EMULATED, LANEWISE_NVRTC: join(EMULATED, 'libnvrtc.so'), LANEWISE_KERNELS: '' } : {};
const ENDLESS = 'mode CREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nwhile A[0] >= 0 { B[p] = B[(p + 1) % n] + 1 }\n';
const folder = mkdtempSync(join(tmpdir(), 'lab-'));

let browser: Browser;
let page: Page;
let problems: string[] = [];
const servers: { close: () => void }[] = [];

async function start(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const server = await serveLab(args, env);
  servers.push(server);
  return server.url;
}
const serve = (...args: string[]): Promise<string> => start(args, GPU);

beforeAll(async () => { browser = await launch(); });
afterAll(async () => { await browser.close(); servers.forEach(({ close }) => close()); });
beforeEach(async () => { page = await browser.newPage({ viewport: { width: 1280, height: 800 } }); });
afterEach(async () => {
  await page.close();
  expect(problems, 'console errors, or requests to elsewhere').toEqual([]);
});

async function visit(url: string): Promise<void> {
  problems = watch(page, url);
  await open(page, url);
}
const list = () => page.getByRole('combobox', { name: 'Executor', exact: true });
const offered = async () => {
  await page.waitForFunction(() => document.querySelectorAll('#executor option').length === 7);
  return page.locator('#executor option:not([disabled])').evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
};
const line = () => page.locator('#machine');
const said = (text: string) => page.waitForFunction((wanted) => document.getElementById('machine')!.textContent!.includes(wanted), text);

it('offers the executors of the machine; each gives the result of the steps', async () => {
  await visit(await serve());
  const names = await offered();
  expect(names).toEqual(expect.arrayContaining(['browser', 'interpreter', 'cpu']));
  for (const problem of ['Prefix sums', 'Components']) {
    await page.getByLabel('Problem').selectOption({ label: problem });
    for (const name of names.slice(1)) {
      await list().selectOption(name);
      await said('The result is that of the steps.');
      expect(await line().textContent()).toMatch(/: [\d.]+(e\+\d+)? (µs|ms|s)/);
    }
  }
  await list().selectOption('browser');
  expect(await line().isHidden()).toBe(true);
});

it('greys out what is missing, with its reason', async () => {
  await visit(await start([], { LANEWISE_OPENCL: '/nowhere', CUDA_VISIBLE_DEVICES: '' }));
  expect(await offered()).not.toContain('opencl');
  const missing = await page.locator('#executor option[disabled]').allTextContents();
  expect(missing.length).toBeGreaterThan(0);
  for (const text of missing) expect(text).toMatch(/^(CUDA|OpenCL)(, one group)? – .{10}/);
});

it('shows times of all executors beside each other', async () => {
  await visit(await serve());
  const names = await offered();
  await page.getByRole('tab', { name: 'Cost' }).click();
  await page.getByRole('button', { name: 'Measure times' }).click();
  await page.waitForFunction(() => [...document.querySelectorAll('.executors tbody tr')].filter((row) => Number(row.children[1].textContent!.replaceAll(',', '')) >= 1024).length >= 3);
  expect(await page.locator('.times path.time').count()).toBeGreaterThanOrEqual(names.length);
  for (const name of ['Cores, list', 'Tuned']) expect(await page.locator('.executors').textContent()).toContain(name);
});

it('opens the program that it was given, and others', async () => {
  writeFileSync(join(folder, 'mine.pram'), 'mode EREW\ninput A[n] : int\noutput Mine[n] : int\nprocessors n\nMine[p] = A[p] * 3\n');
  await visit(await serve(join(folder, 'mine.pram')));
  expect(await page.getByRole('textbox', { name: 'Source' }).textContent()).toContain('Mine[p] = A[p] * 3');
  await offered();
  await list().selectOption('cpu');
  await said('The result is that of the steps.');
  await visit(await serve('components'));
  expect(await page.getByLabel('Problem').locator('option:checked').textContent()).toBe('Components');
});

it('each optimisation that is switched off costs kernels, and the time shown is that of the new run', { timeout: 120_000 }, async () => {
  await visit(await serve());
  await offered();
  const runs: { without: string[]; seconds: number; launches: number }[] = [];
  await page.route('**/api/run', async (route) => {
    const response = await route.fetch();
    const { result } = JSON.parse((await response.text()).trim().split('\n').at(-1)!) as { result: { seconds: number; launches: number } };
    const { without } = route.request().postDataJSON() as { without: string[] };
    runs.push({ without, ...result });
    await route.fulfill({ response });
  });
  /** The next run of the machine, when the page shows its time and its kernels. */
  const next = async (without: string[], act: () => Promise<unknown>) => {
    const before = runs.length;
    await act();
    await expect.poll(() => runs.length, { timeout: 10_000 }).toBeGreaterThan(before);
    const run = runs.at(-1)!;
    expect(run.without).toEqual(without);
    await said(`${duration(run.seconds)} in ${run.launches} kernels. The result is that of the steps.`);
    return run;
  };
  await page.getByLabel('Problem').selectOption({ label: 'Sort' });
  await page.getByRole('tab', { name: 'Meta-program' }).click();
  const all = await next([], () => list().selectOption('cpu'));
  for (const pass of ['merge', 'in-place', 'branches', 'host', 'loops']) {
    const box = page.getByRole('checkbox', { name: pass, exact: true });
    const off = await next([pass], () => box.uncheck());
    expect(off.launches, pass).toBeGreaterThan(all.launches);
    const on = await next([], () => box.check());
    expect(on.launches, pass).toBe(all.launches);
  }
});

it('a page that is closed frees its run within a second', async () => {
  writeFileSync(join(folder, 'endless.pram'), ENDLESS);
  const url = await serve(join(folder, 'endless.pram'), '--max-runs', '1', '--max-steps', '4000000000');
  await visit(url);
  await offered();
  await list().selectOption('cpu');
  await said('steps …');
  await page.close();
  const start = performance.now();
  const answer = await fetch(`${url}api/run`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ program: 'mode EREW\noutput x : int\nx = 1\n', input: '', executor: 'cpu' }),
  });
  expect(await answer.text()).toContain('"result"');
  expect(performance.now() - start).toBeLessThan(1000);
});

it('a run can be stopped, and the next change of the program ends it', async () => {
  await visit(await serve(join(folder, 'endless.pram'), '--max-runs', '1', '--max-steps', '4000000000'));
  await offered();
  await list().selectOption('cpu');
  await said('steps …');
  await page.getByRole('button', { name: 'Stop Cores' }).click();
  await said('stopped');
  await page.getByLabel('Problem').selectOption({ label: 'Sort' });
  await said('The result is that of the steps.');
});
