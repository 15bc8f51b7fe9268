import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../src/app';
import { open } from './browser';
import { long } from './long';
import { another, button, choose, host, idle, input, page, snapshot, source, time, type } from './page';
import { trace } from './trace';
import { walk } from './work';

const tab = (name: string) => page().getByRole('tab', { name, exact: true }).click();
const unit = (name: string) => page().getByLabel('Step by').selectOption(name);

describe('steps', () => {
  it('by kernel are those of lanewise pram trace, forwards and backwards', async () => {
    for (const [problem, algorithm] of [['Sort', 'sort'], ['Components', 'components'], ['Distances', 'breadth_first_search']]) {
      await choose(problem, algorithm);
      await unit('kernel');
      await idle();
      const { states } = trace(await source(), await input().inputValue(), 'kernel');
      const walked = await page().evaluate((kernels) => {
        const lab = (window as unknown as { lab: { snapshot(): Snapshot } }).lab;
        const disabled = (id: string) => (document.getElementById(id) as HTMLButtonElement).disabled;
        const look = () => ({ variables: lab.snapshot().variables, where: document.getElementById('where')!.textContent });
        const press = (key: string) => { document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); return look(); };
        const forwards = [look(), ...Array.from({ length: kernels }, () => press('ArrowRight'))];
        const last = disabled('step');
        const backwards = [look(), ...Array.from({ length: kernels }, () => press('ArrowLeft'))].reverse();
        return { forwards, backwards, ends: last && disabled('back') };
      }, states.length - 1);
      const expected = states.map(({ variables }, i) => ({ variables, where: `Kernel ${i} of ${states.length - 1}` }));
      expect(walked).toEqual({ forwards: expected, backwards: expected, ends: true });
      await unit('statement');
    }
  });

  it('run to the line of the cursor, by button and by key', async () => {
    await choose('Prefix sums', 'scan');
    await page().locator('.cm-line', { hasText: 'B[m - 1] = 0' }).click();
    await page().keyboard.press('Control+Enter');
    expect((await snapshot()).line).toBe(18);
    await button('Reset').click();
    await button('Run to line').click();
    expect((await snapshot()).line).toBe(18);
    await page().getByRole('textbox', { name: 'Source' }).click();
    await page().keyboard.press('Control+Home');
    await button('Run to line').click();
    expect(await page().locator('#now').textContent()).toBe('No step of this run is on line 1.');
  });

  it('are swiped', async () => {
    const phone = await another({ hasTouch: true, viewport: { width: 400, height: 800 } });
    await open(phone, host().url);
    const swipe = (from: number, to: number) => phone.evaluate(([x0, x1]) => {
      const view = document.getElementById('view')!;
      const touch = (clientX: number) => new Touch({ identifier: 1, target: view, clientX, clientY: 300 });
      view.dispatchEvent(new TouchEvent('touchstart', { touches: [touch(x0)], bubbles: true }));
      view.dispatchEvent(new TouchEvent('touchend', { changedTouches: [touch(x1)], bubbles: true }));
      return (window as unknown as { lab: { snapshot(): { position: number } } }).lab.snapshot().position;
    }, [from, to]);
    expect(await swipe(300, 100)).toBe(1);
    expect(await swipe(300, 100)).toBe(2);
    expect(await swipe(100, 300)).toBe(1);
    expect(await swipe(100, 130)).toBe(1);
    await phone.close();
  });
});

describe('earlier states', () => {
  it('of a scan are joined as its tree, those of a sort as paths with sorted runs', async () => {
    await choose('Prefix sums', 'scan');
    await button('Flow').click();
    await page().locator('h1').click();
    await page().keyboard.press('End');
    // Up: 8 + 4 + 2 lines; down: 4 + 8 + 16.
    expect(await page().locator('.link').count()).toBe(42);
    await choose('Sort', 'sort');
    await button('Flow').click();
    await page().locator('h1').click();
    await page().keyboard.press('End');
    expect(await page().locator('.link').count()).toBe(4 * 16);
    expect(await page().locator('.run').count()).toBe(8 + 4 + 2 + 1);
    const ranks = () => page().locator('.rank').allTextContents();
    expect((await ranks()).map(Number)).toEqual(Array.from({ length: 16 }, (_, i) => i));
    await page().keyboard.press('Home');
    await page().keyboard.press('ArrowRight');
    expect(await ranks()).toEqual([]);  // There is one state, which nothing moved.
  });
});

describe('zoom', () => {
  long('shows the values of a large matrix, and a million cells stay fluent', { timeout: 120_000 }, async () => {
    await choose('Matrices', 'matrix_product');
    await page().getByLabel('Size').fill('60');
    await button('Generate').click();
    await idle();
    expect(await page().locator('[data-of-variable="A"]').count()).toBe(0);
    for (let i = 0; i < 3; ++i) await button('Zoom in').click();
    const shown = await page().locator('[data-of-variable="A"]').evaluateAll((texts) => texts.map((text) => [Number(text.getAttribute('data-value')), text.textContent]));
    expect(shown.length).toBeGreaterThan(40);
    const { variables } = await snapshot();
    for (const [cell, value] of shown) expect(value).toBe(variables.A[cell as number]);
    await button('All').click();
    expect(await button('Zoom out').isDisabled()).toBe(true);

    await type('mode CREW\ninput n : int\noutput A[n] : int\nprocessors n\nA[p] = p % 1000\nA[p] = A[p] + 1\n');
    await input().fill('n = 1000000');
    await page().waitForFunction(() => document.getElementById('where')!.textContent === 'Step 0 of 2', null, { timeout: 60_000 });
    const { work } = await walk(page(), Array.from({ length: 6 }, () => ['step', 'step', 'back', 'back'] as const).flat());
    expect(work.worst).toBeLessThan(100);
    await button('Step').click();
    for (let i = 0; i < 15; ++i) await button('Zoom in').click();
    const cells = await page().locator('[data-of-variable="A"]').evaluateAll((texts) => texts.map((text) => [Number(text.getAttribute('data-value')), Number(text.textContent)]));
    expect(cells.length).toBeGreaterThan(7);
    for (const [cell, value] of cells) expect(value).toBe(cell % 1000);
  });
});

describe('source, meta-program, kernel and picture', () => {
  it('mark the unit of the current step, and what belongs to a line under the pointer', async () => {
    await choose('Sort', 'sort');
    await tab('Meta-program');
    await page().waitForSelector('.pane .kernel');
    await time().fill('20');
    const { line } = await snapshot();
    expect(await page().locator('.row.here').getAttribute('data-line')).toBe(String(line));
    expect(await page().locator('.kernel.current').count()).toBe(1);
    expect(await page().locator('.small-picture .processor.active').count()).toBe(16);
    expect(await page().locator('.sets').textContent()).toContain('T0: 16 processors');
    // From the meta-program to the source and the kernel, and back.
    await page().locator('.row[data-unit="0"]').first().hover();
    expect(await page().locator('.linked-line').count()).toBe(1);
    await page().locator('.row', { hasText: 'key = A[p]' }).hover();
    expect(await page().locator('.kernel.linked').count()).toBe(1);
    expect(await page().locator('.linked-line').count()).toBeGreaterThan(5);
    await page().locator('.cm-line', { hasText: 'private w = 1' }).hover();
    expect(await page().locator('.row.linked').allTextContents()).toEqual(['9  w = 1']);
    await page().locator('.row', { hasText: 'key = A[p]' }).locator('span').last().click();
    expect((await snapshot()).line).toBe(11);
  });

  it('change with the optimisations: kernels, notes, and steps by kernel', async () => {
    await choose('Sort', 'sort');
    await unit('kernel');
    await tab('Meta-program');
    await page().waitForSelector('.pane .kernel');
    const count = async () => Number(/(\d+) kernels?,/.exec((await page().locator('.counts').textContent())!)![1]);
    const before = await count();
    const steps = await page().locator('#where').textContent();
    const notes = await page().locator('.note').count();
    await page().getByRole('checkbox', { name: 'merge' }).uncheck();
    await page().waitForFunction((kernels) => !document.querySelector('.counts')!.textContent!.includes(`This run: ${kernels} kernels`), before);
    await idle();
    expect(await count()).toBeGreaterThan(before);
    expect(await page().locator('.note').count()).toBeLessThan(notes);
    expect(await page().locator('#where').textContent()).not.toBe(steps);
    await tab('Kernel');
    await page().waitForSelector('.pane .kernel');
    expect(await page().locator('.legend').textContent()).toBe('without merge');
  });

  it('have complete sources for GPUs', async () => {
    await choose('Prefix sums', 'scan');
    await tab('Kernel');
    for (const [language, text] of [['cuda', '__global__ void'], ['opencl', '__kernel void']]) {
      await page().getByLabel('Kernel language').selectOption(language);
      await page().waitForFunction((wanted) => document.querySelector('.pane')?.textContent?.includes(wanted), text);
    }
  });

  it('have the one kernel of a program in one group', async () => {
    await choose('Sort', 'sort');
    await tab('Kernel');
    await page().getByLabel('Kernel language').selectOption('group');
    // Kernels for a whole grid wait for their groups as well; only the kernel of one group has a limit of steps.
    await page().waitForFunction(() => /KERNEL \w+\(GLOBAL word\* status,\s+word limit/.test(document.querySelector('.pane')?.textContent ?? ''));
    expect((await page().locator('.pane').textContent())!.match(/\bKERNEL /g)).toHaveLength(1);
  });
});
