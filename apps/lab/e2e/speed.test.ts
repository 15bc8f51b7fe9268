/** The times that the page must keep, as work of the main thread: what else the machine does hardly counts. `./dev lab-bench` prints more. */
import { expect } from 'vitest';
import { launch, open, serve, serveLab, watch } from './browser';
import { long } from './long';
import { button, choose, idle, input, page, type } from './page';
import { along, everywhere, LONG, PROGRAMS, summarize, VIEWS, walk } from './work';

const tab = (name: string) => page().getByRole('tab', { name, exact: true }).click();
const last = async () => Number(await page().getByRole('slider', { name: 'Time' }).getAttribute('max'));

for (const view of VIEWS) {
  long(`a step forward or back at n = 1,000 takes at most 16 ms, 95 times of 100: ${view}`, { timeout: 120_000 }, async () => {
    for (const [problem, algorithm] of PROGRAMS) {
      await choose(problem, algorithm);
      await page().getByLabel('Size').fill('1000');
      await button('Generate').click();
      await idle();
      await tab(view);
      if (await button('Freeze').count() > 0) await button('Freeze').click();
      await idle();
      await walk(page(), ['step', 'back']);
      const { work } = await walk(page(), everywhere(await last(), 20));
      expect(work.most, algorithm).toBeLessThan(16);
      expect(work.worst, algorithm).toBeLessThan(32);
      await tab('Array');
    }
  });
}

long('no frame of a drag along 10,000 steps takes 50 ms', { timeout: 120_000 }, async () => {
  await input().fill(LONG.input);
  await type(LONG.program);
  const steps = await last();
  expect(steps).toBeGreaterThan(9_900);
  expect((await walk(page(), along(steps))).work.worst).toBeLessThan(50);
});

long('the first view is there after 1.0 s from lanewise lab, 2.0 s from static files', { timeout: 120_000 }, async () => {
  const browser = await launch();
  const lab = await serveLab([], {});
  const site = await serve();
  for (const [{ url }, most] of [[lab, 1000], [site, 2000]] as const) {
    const times: number[] = [];
    for (let load = 0; load < 9; ++load) {
      const fresh = await browser.newPage();  // with an empty cache
      const problems = watch(fresh, url);
      const start = performance.now();
      await open(fresh, url);
      times.push(performance.now() - start);
      expect(problems, 'console errors, or requests to elsewhere').toEqual([]);
      await fresh.close();
    }
    expect(summarize(times).median, url).toBeLessThan(most);
  }
  lab.close();
  site.close();
  await browser.close();
});
