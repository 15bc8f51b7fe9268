/** The widget of the Python package in a page of its own, with what `lanewise.pram.widget` hands it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launch, root, watch } from './browser';

const PYTHON = join(root, '.cache/venv/bin/python');
const MODULE = join(root, 'build/python/lanewise/_native.abi3.so');
const WIDGET = join(root, 'build/lab-widget/pram_widget.js');

interface Traits { summary: string; source: string; arrays: string[] }

/** What the widget of `lanewise.pram.widget(ARGUMENTS)` has; its arrays in base 64. */
function traits(call: string): Traits {
  const code = `import base64, json, lanewise as lw\nw = lw.pram.widget(${call})\n`
    + 'print(json.dumps({"summary": w.summary, "source": w.source, "arrays": [base64.b64encode(a).decode() for a in w.arrays]}))';
  const done = spawnSync(PYTHON, ['-c', code], { env: { ...process.env, PYTHONPATH: join(root, 'build/python') }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout) as Traits;
}

let browser: Browser;
let problems: string[] = [];
beforeAll(async () => { browser = await launch(); });
afterAll(async () => { await browser.close(); });
afterEach(() => expect(problems, 'console errors, or requests to elsewhere').toEqual([]));

async function shown(call: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  problems = watch(page, 'about:');
  await page.setContent('<div id="cell"></div>');
  // A text, since Vitest would replace import().
  await page.evaluate(`import(URL.createObjectURL(new Blob([${JSON.stringify(readFileSync(WIDGET, 'utf8'))}], { type: 'text/javascript' }))).then((module) => { window.widget = module.default; })`);
  await page.evaluate((given) => {
    // As from a message of Jupyter: all arrays in one buffer, at any byte.
    const bytes = given.arrays.map((array) => Uint8Array.from(atob(array), (c) => c.charCodeAt(0)));
    const whole = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 1));
    let at = 1;
    const arrays = bytes.map((array) => { whole.set(array, at); at += array.length; return new DataView(whole.buffer, at - array.length, array.length); });
    const values: Record<string, unknown> = { ...given, arrays };
    (window as unknown as { widget: { render: (given: unknown) => void } }).widget.render({ model: { get: (name: string) => values[name] }, el: document.getElementById('cell') });
  }, traits(call));
  return page;
}

it.skipIf(!existsSync(MODULE))('shows each step of a run', async () => {
  const page = await shown('"reduction", A=[3, 1, 2, 5]');
  const chips = () => page.getByRole('group', { name: 'Variables' }).textContent();
  expect(await page.getByText('Before the first step of 11.').count()).toBe(1);
  expect(await chips()).toBe('n = 4sum = 0d = 0');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  expect(await page.locator('output').textContent()).toBe('Step 1 of 11');
  expect(await page.getByRole('img', { name: 'Memory after step 1' }).locator('.arrow.read').count()).toBe(4);
  await page.getByRole('slider').fill('11');
  expect(await chips()).toBe('n = 4sum = 11d = 4');
  expect(await page.getByRole('button', { name: 'Step', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Step back' }).click();
  expect(await page.locator('output').textContent()).toBe('Step 10 of 11');
  expect(await chips()).toBe('n = 4sum = 0d = 4');
  await page.close();
});

it.skipIf(!existsSync(MODULE))('shows where a run failed', async () => {
  const page = await shown('"mode EREW\\ninput A[n] : int\\noutput s : int\\nprocessors n\\ns = A[p]\\n", A=[1, 2]');
  await page.getByRole('slider').fill('1');
  expect(await page.locator('.now').textContent()).toContain('processors 0 and 1 both write s (1 and 2), which EREW forbids');
  expect(await page.locator('.processor.bad').count()).toBe(2);
  await page.close();
});
