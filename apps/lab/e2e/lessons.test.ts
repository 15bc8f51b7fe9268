import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { open } from './browser';
import { long } from './long';
import { another, button, figuresDrawn, host, idle, input, page, snapshot, type } from './page';

const lesson = () => page().locator('#lesson');
const verdict = () => page().locator('#verdict');
async function start(number: number): Promise<void> {
  await button('Lessons').click();
  await page().locator('.toc a').nth(number - 1).click();
  await page().waitForSelector('figure');
}
async function checked(): Promise<string> {
  await button('Check').click();
  await page().waitForFunction(() => !['', 'Checking …'].includes(document.getElementById('verdict')!.textContent!));
  return (await verdict().textContent())!;
}

it('a student follows a link, reads, steps through a figure, and solves the task', async () => {
  await page().goto('about:blank');
  await open(page(), `${host().url}#lesson=4-conflicts`);
  await page().waitForSelector('figure .processor');
  expect(await lesson().getByRole('heading', { level: 2 }).textContent()).toBe('Conflicts');
  // The figure stands at the step that fails, and goes back from it.
  expect(await page().locator('figure .processor.bad').count()).toBe(2);
  await page().getByRole('button', { name: 'Back in figure 1' }).click();
  expect(await page().locator('figure .processor.bad').count()).toBe(0);
  await button('Work on it').click();
  await idle();
  expect(await checked()).toMatch(/step 2 fails.*both read A\[1\]/);
  await button('Use this input').click();
  await idle();
  await button('Run to conflict').click();
  expect((await snapshot()).failed).toBe(true);
  await type('mode CREW\ninput A[n] : int\noutput B[n] : int\n\nprocessors n\nif p > 0 { B[p] = A[p] + A[p - 1] }\n');
  expect(await checked()).toContain('the task wants EREW');
  await type('mode EREW\ninput A[n] : int\noutput B[n] : int\n\nprocessors n\nprivate left = 0\nif p > 0 { left = A[p - 1] }\nif p > 0 { B[p] = A[p] + left }\n');
  expect(await checked()).toContain('✓ Right');
  await button('Lessons').click();
  expect(await page().locator('.toc li').nth(3).textContent()).toContain('solved');
  // The keys that step belong to the page while one reads.
  await page().keyboard.press('End');
  await button('Lessons').click();
  expect((await snapshot()).position).toBe(0);
});

it('a figure opens in the lab, and lessons have addresses', async () => {
  await start(3);
  expect(page().url()).toContain('#lesson=3-prefix-sums');
  await page().getByRole('button', { name: 'Open in the lab: figure 2' }).click();
  await idle();
  expect(await page().getByLabel('Algorithm').inputValue()).toBe('scan');
  expect(await input().inputValue()).toBe('A = 6 0 5 10 10 3 6 7');
  const other = await another();
  await open(other, `${host().url}#lesson=6-components`);
  await other.waitForSelector('figure .node');
  expect(await other.locator('#lesson h2').textContent()).toBe('Connected components');
  await other.close();
});

it('a teacher writes one in Markdown, and opens it', async () => {
  const source = '# My lesson\n\nCount **down**.\n\n```figure scan view=flow step=end\nA = 1 2 3\n```\n\n```task title="Twice" mode=EREW\nmode EREW\ninout A[n] : int\nprocessors n\nA[p] = A[p]\n---\nmode EREW\ninout A[n] : int\nprocessors n\nA[p] = 2 * A[p]\n```\n\n```figure unknown\n```\n';
  await page().locator('#file').setInputFiles({ name: 'mine.md', mimeType: 'text/markdown', buffer: Buffer.from(source) });
  await page().waitForSelector('figure svg');
  expect(await lesson().locator('h2').textContent()).toBe('My lesson');
  expect(await page().locator('figure .link').count()).toBeGreaterThan(3);
  expect(await lesson().locator('.fault').textContent()).toBe("There is no program 'unknown'.");
  await button('Work on it').click();
  await idle();
  await type('mode EREW\ninout A[n] : int\nprocessors n\nA[p] = A[p] + A[p]\n');
  expect(await checked()).toContain('✓ Right');
  // Another program ends the task.
  await page().getByLabel('Problem').selectOption({ label: 'Sort' });
  expect(await page().locator('#task').isVisible()).toBe(false);
});

it('a lesson that lies beside the page has an address, and leads to others', async () => {
  const files: Record<string, string> = { 'mine.md': '# Mine\n\nNext: [yours](yours.md), [ours](2-reduction.md).\n', 'yours.md': '# Yours\n' };
  await page().route(/\/\w+\.md$/, (route) => {
    const name = route.request().url().split('/').pop()!;
    return route.fulfill(files[name] ? { body: files[name], contentType: 'text/markdown' } : { status: 404 });
  });
  const title = (text: string) => page().waitForFunction((wanted) => document.querySelector('#lesson h2')?.textContent === wanted, text);
  await page().evaluate(() => { location.hash = '#lesson=mine.md'; });
  await title('Mine');
  await page().getByRole('link', { name: 'ours', exact: true }).click();
  await title('Reduction');
  await page().evaluate(() => { location.hash = '#lesson=mine.md'; });
  await title('Mine');
  await page().getByRole('link', { name: 'yours' }).click();
  await title('Yours');
});

/** Of each lesson, what a student is told about the program that the task begins with, and a solution in other words than the lesson's. */
const SOLUTIONS: [RegExp, string][] = [
  [/A is 0.*, not/, 'mode EREW\ninout A[n] : int\nprocessors n\nA[p] = max(0, A[p])\n'],
  [/outputs are right, but the depth grows like n; the task wants log n/, `mode EREW
input A[n] : int
output greatest : int
shared B[n] : int
processors n
B[p] = A[p]
private d = 1
while d < n {
  if p % (2 * d) == 0 and p + d < n { B[p] = max(B[p], B[p + d]) }
  d = 2 * d
}
if p == 0 { greatest = B[0] }
`],
  [/S is .*, not/, `mode EREW
input A[n] : int
output S[n] : int
processors n
private own = A[p]
private sum = own
private d = 1
S[p] = own
while d < n {
  if p >= d {
    sum = S[p - d] + sum
    S[p] = sum
  }
  d = 2 * d
}
S[p] = sum - own
`],
  [/step 2 fails: line 6: .*both read A\[1\]/, `mode EREW
input A[n] : int
output B[n] : int
processors n
B[p] = A[p]
if p > 0 { B[p] = B[p] + A[p - 1] } else { B[p] = 0 }
`],
  [/A is .*, not/, `mode EREW
inout A[n] : int
processors n / 2
for round = 1 to n {
  private left = 2 * p + round % 2
  if left + 1 < n and A[left] > A[left + 1] { A[left], A[left + 1] = A[left + 1], A[left] }
}
`],
  [/root is .*, not/, `mode CREW
input parent[n] : int
output root[n] : int
processors n
private above = p
while parent[above] != above { above = parent[above] }
root[p] = above
`],
  [/outputs are right, but the depth grows like n; the task wants 1/, 'mode CRCW combining +\ninput match[n] : int\noutput pairs : int\nprocessors n\nif match[p] > -1 { pairs = 1 }\n'],
  [/outputs are right, but the program takes \d kernels, more than 1/, 'mode CREW\ninout A[n] : int\nprocessors n\nA[p] = A[(p + 1) % n] + A[(p + 1) % n]\n'],
];

long('all eight tasks refuse what they begin with, say why, and take a solution', { timeout: 120_000 }, async () => {
  for (const [i, [reason, solution]] of SOLUTIONS.entries()) {
    await start(i + 1);
    await button('Work on it').click();
    await idle();
    expect(await checked(), `lesson ${i + 1}`).toMatch(reason);
    await type(solution);
    expect(await checked(), `lesson ${i + 1}`).toContain('✓ Right');
  }
  await button('Lessons').click();
  const contents = await page().locator('.toc li').allTextContents();
  expect(contents.filter((text) => text.includes('solved'))).toHaveLength(8);
});

long('all eight: figures are drawn, axe finds nothing, and nothing is wider than a narrow screen', { timeout: 120_000 }, async () => {
  await page().evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  for (let number = 1; number <= 8; ++number) {
    if (number > 1) await button('Lessons').click();
    await start(number);
    await figuresDrawn();
    expect(await lesson().locator('.fault').count(), `lesson ${number}`).toBe(0);
    const found = await page().evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
    });
    expect(found, `lesson ${number}`).toEqual([]);
    await page().setViewportSize({ width: 400, height: 800 });
    expect(await page().evaluate(() => document.documentElement.scrollWidth), `lesson ${number}`).toBeLessThanOrEqual(400);
    await page().setViewportSize({ width: 1280, height: 800 });
  }
});
