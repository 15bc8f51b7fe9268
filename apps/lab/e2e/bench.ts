/** How fast the lab is: ./dev lab-bench. Work is script, styles and layout in the main thread's own time: other programs that run slow down only the rest. */
import { launch, open, serve, serveLab } from './browser';
import { walk, workOfFrame, type Act, type Walked } from './work';

const site = await serve();
const lab = await serveLab([], {});
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await open(page, site.url);

const idle = () => page.evaluate(() => (window as unknown as { lab: { idle(): Promise<void> } }).lab.idle());
const tab = async (name: string) => { await page.getByRole('tab', { name, exact: true }).click(); await idle(); };
const end = async () => Number(await page.getByRole('slider', { name: 'Time' }).getAttribute('max'));
const row = (what: string, figures: string) => console.log(`${what.padEnd(52)} ${figures}`);
const ms = (value: number) => `${value.toFixed(1)} ms`;
const steps = (what: string, { median, worst, work }: Walked) =>
  row(what, `median ${ms(median)}, worst ${ms(worst)}; work: median ${ms(work.median)}, worst ${ms(work.worst)}`);

async function choose(problem: string, algorithm: string, size: number): Promise<void> {
  await page.getByLabel('Problem').selectOption({ label: problem });
  await idle();
  await page.getByLabel('Algorithm').selectOption(algorithm);
  await idle();
  await page.getByLabel('Size').fill(String(size));
  await page.getByRole('button', { name: 'Generate' }).click();
  await idle();
}
async function write(program: string, input: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Source' }).fill(program);
  await page.getByRole('textbox', { name: 'Input' }).fill(input);
  await page.waitForTimeout(500);
  await idle();
}
/** `count` steps from places all over the run, forwards and back. */
async function everywhere(count: number): Promise<Act[]> {
  const last = await end();
  return Array.from({ length: count }, (_, i) => [Math.round(((last - 1) * i) / count), 'step', 'back'] as const).flat();
}

const LOADS = 15;
for (const [what, { url }] of [['First view, static files', site], ['First view, lanewise lab', lab]] as const) {
  const times: number[] = [];
  for (let load = 0; load < LOADS; ++load) {
    const context = await browser.newContext();
    const fresh = await context.newPage();
    const start = performance.now();
    await open(fresh, url);
    times.push(performance.now() - start);
    await context.close();
  }
  times.sort((a, b) => a - b);
  row(what, `median ${ms(times[LOADS >> 1])}, least ${ms(times[0])}, worst ${ms(times[LOADS - 1])}`);
}

for (const view of ['Array', 'Graph', 'Meta-program', 'Kernel', 'Cost']) {
  for (const [problem, algorithm] of [['Sort', 'sort'], ['Prefix sums', 'scan'], ['Components', 'components']] as const) {
    await tab('Array');
    await choose(problem, algorithm, 1000);
    await tab(view);
    const freeze = page.getByRole('button', { name: 'Freeze' });
    const moves = await freeze.count() > 0;
    if (moves) await freeze.click();
    await walk(page, ['step', 'back']);
    steps(`A step of ${algorithm}, n = 1,000: ${view}`, await walk(page, await everywhere(40)));
    if (moves) await freeze.click();
  }
}

await tab('Array');
await write('mode EREW\ninput A[n] : int\noutput B[n] : int\nfor k = 0 to 3300 { B[k % n] = k }\n', 'A = 5 6 7 8 9 1 2 3');
const long = await end();
steps(`A drag along ${long.toLocaleString('en')} steps`, await walk(page, Array.from({ length: 301 }, (_, i) => Math.round((long * i) / 300))));

await write('mode CREW\ninput n : int\noutput A[n] : int\nprocessors n\nA[p] = p % 1000\nA[p] = A[p] + 1\nA[p] = 2 * A[p]\n', 'n = 1000000');
await page.waitForFunction(() => document.getElementById('time')!.getAttribute('max') === '3', null, { timeout: 60_000 });
steps('A step of 1,000,000 processors', await walk(page, Array.from({ length: 4 }, () => ['step', 'step', 'step', 'back', 'back', 'back'] as const).flat()));

for (const nodes of [500, 1000, 5000]) {
  await tab('Array');
  await choose('Components', 'components', nodes);
  await tab('Graph');
  row(`Work of a frame, ${nodes.toLocaleString('en')} nodes that move`, ms(await workOfFrame(page, 60)));
}

await browser.close();
site.close();
lab.close();
