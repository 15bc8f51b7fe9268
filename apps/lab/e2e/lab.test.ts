import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { open, root } from './browser';
import { long } from './long';
import { another, button, choose, figuresDrawn, host, idle, input, page, settled, snapshot, time, type } from './page';
import { VIEWS, walk } from './work';

describe('controls', () => {
  it('have the names that the design gives them, and grey out at the ends', async () => {
    for (const name of ['Step', 'Back', 'Auto', 'Reset', 'Generate', 'Share', 'Run to conflict']) expect(await button(name).count(), name).toBe(1);
    for (const name of ['Problem', 'Algorithm', 'Access mode', 'Executor']) expect(await page().getByRole('combobox', { name, exact: true }).count(), name).toBe(1);
    for (const name of VIEWS) expect(await page().getByRole('tab', { name, exact: true }).count(), name).toBe(1);
    expect(await input().count()).toBe(1);
    expect(await button('Back').isDisabled()).toBe(true);
    await page().locator('h1').click();
    await page().keyboard.press('End');
    expect(await button('Step').isDisabled()).toBe(true);
    expect(await button('Back').isEnabled()).toBe(true);
  });

  it('list the executors of a machine, grey where there is no server', async () => {
    await page().waitForFunction(() => document.querySelectorAll('#executor option').length === 7);
    expect(await page().locator('#executor option:not([disabled])').allTextContents()).toEqual(['Browser']);
    for (const text of await page().locator('#executor option[disabled]').allTextContents()) expect(text).toContain('with lanewise lab on your machine');
  });

  it('obey the keyboard', async () => {
    await page().locator('h1').click();
    for (const [key, position] of [['ArrowRight', 1], [' ', 2], ['ArrowLeft', 1], ['Home', 0]] as const) {
      await page().keyboard.press(key);
      expect((await snapshot()).position, key).toBe(position);
    }
    await page().keyboard.press('End');
    const last = await snapshot();
    expect(last.position).toBe(last.end);
  });

  it('run to a line, and stop a run that takes long', async () => {
    await choose('Prefix sums', 'scan');
    await page().locator('.cm-lineNumbers .cm-gutterElement', { hasText: /^18$/ }).click();
    expect((await snapshot()).line).toBe(18);
    await input().fill('');
    await type('mode CREW\noutput x : int\nprivate i = 0\nwhile true { processors 1000000 { private a = p - p } }\n', false);
    await page().getByRole('button', { name: 'Stop' }).click();
    await page().waitForFunction(() => document.getElementById('inputfault')!.textContent === 'The run was stopped.');
  });

  it('are gone with their page: a run ends within a second', async () => {
    const other = await another();
    await open(other, host().url);
    await other.getByRole('textbox', { name: 'Input' }).fill('');
    await type('mode CREW\noutput x : int\nprivate i = 0\nwhile true { processors 1000000 { private a = p - p } }\n', false, other);
    await other.getByRole('button', { name: 'Stop' }).waitFor();
    const debug = await host().browser.newBrowserCDPSession();
    const processes = async () => new Map((await debug.send('SystemInfo.getProcessInfo')).processInfo.map(({ id, cpuTime }) => [id, cpuTime]));
    const before = await processes();
    await page().waitForTimeout(500);
    const [[running, seconds]] = [...(await processes())].map(([id, time]) => [id, time - (before.get(id) ?? time)]).sort(([, a], [, b]) => b - a);
    expect(seconds).toBeGreaterThan(0.1);
    await other.close();
    await expect.poll(async () => (await processes()).has(running), { timeout: 1000 }).toBe(false);
  });

  it('run by themselves, and stop at the end', async () => {
    await page().getByRole('slider', { name: 'Speed' }).fill('6');
    await button('Auto').click();
    await page().waitForFunction(() => (document.getElementById('step') as HTMLButtonElement).disabled);
    expect(await button('Auto').getAttribute('aria-pressed')).toBe('false');
  });

  long('have a speed', async () => {
    await choose('Sort', 'sort');
    const steps: number[] = [];
    for (const speed of ['1', '5']) {
      if (await button('Reset').isEnabled()) await button('Reset').click();
      await page().getByRole('slider', { name: 'Speed' }).fill(speed);
      await button('Auto').click();
      await page().waitForTimeout(2000);
      await button('Auto').click();
      steps.push((await snapshot()).position);
    }
    // One step a second and thirty.
    expect(steps[0]).toBeLessThanOrEqual(2);
    expect(steps[1]).toBeGreaterThan(3 * steps[0]);
  });

  it('have the focus in the order in which they stand, and the source keeps it from none', async () => {
    const order: string[] = [];
    while (order.length < 23) {
      await page().keyboard.press('Tab');
      order.push(await page().evaluate(() => document.activeElement!.id));
    }
    expect(order.join(' ')).toBe('problem algorithm mode executor lessons open save share theme step auto speed unit toline conflict time format editor size kind generate input tab-array');
    const ring = await page().evaluate(() => { const style = getComputedStyle(document.activeElement!); return `${style.outlineStyle} ${style.outlineWidth}`; });
    expect(ring).toBe('solid 2px');
  });

  it('start again when the algorithm changes', async () => {
    await choose('Sort', 'sort');
    await button('Run to conflict').click();
    expect((await snapshot()).position).toBeGreaterThan(0);
    await choose('Sort', 'bitonic_sort');
    expect((await snapshot()).position).toBe(0);
  });

  it('start again when the input changes, and show a fault of it', async () => {
    await button('Step').click();
    await input().fill('A = 5 5 5');
    await settled();
    expect((await snapshot()).variables.A).toEqual(['5', '5', '5']);
    await input().fill('A = 5\n5 x');
    await page().waitForFunction(() => document.getElementById('inputfault')!.textContent !== '');
    expect(await page().locator('#inputfault').textContent()).toContain('Line 2');
  });
});

describe('views', () => {
  for (const theme of ['light', 'dark'] as const) {
    (theme === 'light' ? it : long)(`have nothing that axe finds: ${theme}`, async () => {
      await page().emulateMedia({ colorScheme: theme });
      await page().reload();
      await page().waitForSelector('html[data-ready=true]');
      await choose('Spanning tree', 'spanning_forest');
      await time().fill('20');
      // The page's own policy allows no script from outside, so axe comes through the debugger.
      await page().evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
      for (const name of VIEWS) {
        await page().getByRole('tab', { name }).click();
        await page().waitForTimeout(150);
        const found = await page().evaluate(async () => {
          const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
          return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
        });
        expect(found, name).toEqual([]);
      }
    });
  }

  it('fit one screen, and a narrow one without scrolling sideways', async () => {
    const overflow = () => page().evaluate(() => [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]);
    expect((await page().locator('header').boundingBox())!.height, 'one line').toBeLessThan(60);
    await choose('Sort', 'sort');
    await time().fill('20');
    for (const name of VIEWS) {
      await page().setViewportSize({ width: 1280, height: 800 });
      await page().getByRole('tab', { name }).click();
      await idle();
      expect(await overflow(), name).toEqual([false, false]);
      await page().setViewportSize({ width: 400, height: 800 });
      expect((await overflow())[0], name).toBe(false);
    }
  });

  it('are printed in light colours, whole and without controls', async () => {
    await page().setViewportSize({ width: 720, height: 1000 });
    await choose('Matching', 'matching');
    await time().fill('20');
    await button('Light or dark').click();
    /** What of the page lies outside of what is printed. */
    const hidden = () => page().evaluate(() => [...document.querySelectorAll<HTMLElement>('#editor, #view, textarea, .pane, .small-picture, .listing')]
      .filter(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1).map(({ id, className }) => id || className));
    for (const name of VIEWS) {
      await page().emulateMedia({ media: 'screen' });
      await page().getByRole('tab', { name }).click();
      await idle();
      await page().emulateMedia({ media: 'print' });
      await page().waitForTimeout(200);
      expect(await page().evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--text'))).toBe('#17202e');
      expect(await page().getByRole('button').evaluateAll((all) => all.filter((control) => control.checkVisibility()).map(({ textContent }) => textContent)), name).toEqual([]);
      expect(await page().locator('#view').locator('svg, pre').first().isVisible(), name).toBe(true);
      expect(await hidden(), name).toEqual([]);
    }
    await page().emulateMedia({ media: 'screen' });
    await button('Lessons').click();
    await page().locator('.toc a').nth(1).click();
    await figuresDrawn();
    await page().emulateMedia({ media: 'print' });
    await page().waitForTimeout(200);
    expect(await page().locator('#lesson .listing').count()).toBe(2);
    expect(await hidden()).toEqual([]);
  });

  it('draw the forest', async () => {
    await choose('Spanning tree', 'spanning_forest');
    await page().getByRole('tab', { name: 'Graph' }).click();
    await button('Run to conflict').click();
    const { variables } = await snapshot();
    expect(await page().locator('.edge.chosen').count()).toBe(variables.tree.filter((value) => value === '1').length);
  });
});

describe('cost', () => {
  it('of each line adds up to that of the run', async () => {
    await choose('Sort', 'sort');
    await page().getByRole('tab', { name: 'Cost' }).click();
    await button('Run to conflict').click();
    const { end, work, depth } = await snapshot();
    const column = (n: number) => page().locator(`.lines tbody tr:not(.total) td:nth-child(${n})`).evaluateAll((cells) => cells.reduce((sum, cell) => sum + Number(cell.textContent!.replaceAll(',', '')), 0));
    expect([await column(1), await column(2), await column(3)]).toEqual([end, work, depth]);
    expect(await page().locator('.lines .total td:not(.kernels)').allTextContents()).toEqual([end, work, depth, 16].map((value) => value.toLocaleString('en')).concat('in all; a kernel may run several lines'));
  });

  it('has the kernels of the meta-program, of each line and along time', async () => {
    await choose('Sort', 'sort');
    const text = (selector: string) => page().locator(selector).textContent();
    const cost = async () => {
      await page().getByRole('tab', { name: 'Cost' }).click();
      await page().waitForFunction(() => document.querySelector('.lines .total .kernels')?.textContent);
      const lines = await page().locator('.lines tr:not(.total) .kernels').allTextContents();
      const strip = await page().locator('.launches path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')!.split('M').length - 1));
      return { all: Number(await text('.lines .total .kernels')), lines: lines.reduce((sum, count) => sum + Number(count), 0), strip: strip[0] + strip[1] };
    };
    const meta = async () => {
      await page().getByRole('tab', { name: 'Meta-program' }).click();
      await page().waitForSelector('.counts');
      return Number(/(\d+) kernels?,/.exec((await text('.counts'))!)![1]);
    };
    const merged = await cost();
    expect([merged.all, merged.strip]).toEqual([await meta(), merged.all]);
    expect(merged.lines).toBeGreaterThan(merged.all);  // a kernel runs several lines
    for (const pass of ['merge', 'branches', 'loops', 'host']) {
      await page().getByRole('checkbox', { name: pass, exact: true }).uncheck();
      await idle();
    }
    const kernels = await meta();
    expect(kernels).toBeGreaterThan(merged.all);
    expect((await cost()).all).toBe(kernels);
    // Their number up to the current step.
    expect(await text('.sofar')).toBe(`So far: 0 of ${kernels} kernels, peak 0.`);
    await button('Run to conflict').click();
    expect(await text('.sofar')).toBe(`So far: ${kernels} of ${kernels} kernels, peak 16.`);
  });

  it('growth is measured and named', async () => {
    await choose('Prefix sums', 'scan');
    await page().getByRole('tab', { name: 'Cost' }).click();
    await button('Measure growth').click();
    await page().waitForFunction(() => /depth grows like log n, work grows like n$/.test(document.querySelector('.measured figcaption')?.textContent?.trim() ?? '')
      && !document.querySelector<HTMLButtonElement>('[data-act=growth]')!.disabled);
  });
});

describe('speed', () => {
  it('the script has at most 400 KB compressed, the engine 3 MB', () => {
    const folder = join(root, 'build/lab-site/assets');
    const size = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending)).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    console.log(`script ${Math.round(size('.js') / 1000)} KB, engine ${Math.round(size('.wasm') / 1000)} KB compressed`);
    expect(size('.js')).toBeGreaterThan(10_000);
    expect(size('.js')).toBeLessThan(400_000);
    expect(size('.wasm')).toBeLessThan(3_000_000);
  });

  it('a step computes the layout once, and twice where panes scroll to it', async () => {
    await choose('Sort', 'sort');
    await page().getByLabel('Size').fill('1000');
    await button('Generate').click();
    await idle();
    const five = Array<'step'>(5).fill('step');
    for (const [name, most] of [['Array', 1], ['Meta-program', 2], ['Kernel', 2], ['Cost', 1]] as const) {
      await page().getByRole('tab', { name }).click();
      await idle();
      await walk(page(), five);  // The first ones find out how much room there is.
      const { layouts, work } = await walk(page(), [...five, ...five, ...five]);
      expect(layouts, name).toBeLessThan(most + 0.4);
      expect(work.median, name).toBeLessThan(16);
    }
  });
});
