/** How fast the lab is: ./dev lab-bench. Work is script, styles and layout in the main thread's own time: other programs that run slow down only the rest. */
import { launch, open, serve, serveLab } from './browser';
import { along, BACK_AND_FORTH, everywhere, LONG, MILLION, PROGRAMS, summarize, VIEWS, walk, workOfFrame, type Times, type Walked } from './work';

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
const figures = ({ median, most, worst }: Times) => `${[median, most, worst].map((value) => value.toFixed(1)).join(', ')} ms`;
const steps = (what: string, { passed, work }: Walked) => row(what, `work ${figures(work)}; passed ${figures(passed)}`);

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
  await idle();
}
console.log('Of times: the median, 95 of 100 and the worst.');
const LOADS = 15;
for (const [what, { url }] of [['First view, static files', site], ['First view, lanewise lab', lab]] as const) {
  const times: number[] = [];
  for (let load = 0; load < LOADS; ++load) {
    const context = await browser.newContext();
    const fresh = await context.newPage();
    await fresh.waitForTimeout(500);  // the window is there; its start is not the page's
    const start = performance.now();
    await open(fresh, url);
    times.push(performance.now() - start);
    await context.close();
  }
  row(what, figures(summarize(times)));
}

for (const view of VIEWS) {
  for (const [problem, algorithm] of PROGRAMS) {
    await tab('Array');
    await choose(problem, algorithm, 1000);
    await tab(view);
    const freeze = page.getByRole('button', { name: 'Freeze' });
    const moves = await freeze.count() > 0;
    if (moves) await freeze.click();
    await walk(page, ['step', 'back']);
    steps(`A step of ${algorithm}, n = 1,000: ${view}`, await walk(page, everywhere(await end(), 40)));
    if (moves) await freeze.click();
  }
}

await tab('Array');
await write(LONG.program, LONG.input);
const last = await end();
steps(`A drag along ${last.toLocaleString('en')} steps`, await walk(page, along(last)));

await write(MILLION.program, MILLION.input);
await page.waitForFunction(() => document.getElementById('time')!.getAttribute('max') === '3', null, { timeout: 60_000 });
steps('A step of 1,000,000 processors', await walk(page, BACK_AND_FORTH));

for (const nodes of [500, 1000, 5000]) {
  await tab('Array');
  await choose('Components', 'components', nodes);
  await tab('Graph');
  row(`Work of a frame, ${nodes.toLocaleString('en')} nodes that move`, ms(await workOfFrame(page, 60)));
}

await browser.close();
site.close();
lab.close();
