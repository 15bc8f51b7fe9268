/** The report of `lanewise study` in Chromium: on a screen, on a narrow one, in the dark and on paper. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, root, watch } from './browser';

let browser: Browser, folder: string, url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'study-'));
  // LANEWISE_REPORT names another report, such as one of docs/study.
  const given = process.env.LANEWISE_REPORT;
  if (!given) {
    const program = process.env.LANEWISE ?? join(root, 'build/lanewise');
    execFileSync(program, ['study', '--quick', '--rows', '1100', '--repeat', '2', '--device', 'cpu', '-o', folder], { stdio: 'ignore' });
  }
  url = pathToFileURL(given ?? join(folder, 'report.html')).href;
  browser = await launch();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The report in a window of this width; what goes wrong there fails the test. */
async function withReport(width: number, dark: boolean, test: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light' });
  try {
    const problems = watch(page, url);
    await page.goto(url);
    await test(page);
    expect(problems).toEqual([]);
  } finally {
    await page.close();
  }
}

it('has axes with units and a legend in every plot, within its picture', async () => withReport(1000, false, async (page) => {
  const faults = await page.evaluate(() => [...document.querySelectorAll('svg.plot')].flatMap((plot) => {
    const title = plot.getAttribute('aria-label');
    const missing = ['.axis.x', '.axis.y', '.legend'].filter((kind) => !plot.querySelector(`${kind} text`)?.textContent);
    if (![...plot.querySelectorAll('.label')].some((label) => label.textContent)) missing.push('a label');
    const frame = plot.getBoundingClientRect();
    const outside = [...plot.querySelectorAll('text')].filter((text) => {
      const box = text.getBoundingClientRect();
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    }).map((text) => `outside: ${text.textContent}`);
    return [...missing, ...outside].map((fault) => `${title}: ${fault}`);
  }));
  expect(faults).toEqual([]);
  expect(await page.locator('svg.plot').count()).toBeGreaterThanOrEqual(15);
}));

for (const dark of [false, true]) {
  it(`has nothing that axe finds: ${dark ? 'dark' : 'light'}`, async () => withReport(1000, dark, async (page) => {
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.length} such as ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
    });
    expect(found).toEqual([]);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background === 'rgb(255, 255, 255)').toBe(!dark);
  }));
}

it('is readable at 400 pixels', async () => withReport(400, false, async (page) => {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(400);
  const small = await page.evaluate(() => [...document.querySelectorAll('p, figcaption, td, svg.plot text')]
    .map((element) => {
      const svg = element.closest('svg');
      const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
      return parseFloat(getComputedStyle(element).fontSize) * scale;
    }).filter((size) => size < 8).length);
  expect(small, 'texts of less than 8 pixels').toBe(0);
}));

it('has no figure that is cut by a page', async () => withReport(718 /* A4 without margins of 1 cm, in pixels */, false, async (page) => {
  await page.emulateMedia({ media: 'print' });
  const tall = await page.evaluate(() => [...document.querySelectorAll('figure')].filter((figure) =>
    figure.getBoundingClientRect().height > 1000 || getComputedStyle(figure).breakInside !== 'avoid' ||
    figure.scrollWidth > figure.clientWidth + 1).map((figure) => figure.querySelector('figcaption')?.textContent?.slice(0, 80)));
  expect(tall).toEqual([]);
  const paper = await page.pdf({ format: 'A4', margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' } });
  expect(paper.length).toBeGreaterThan(10_000);
}));
