import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../src/app';
import { open } from './browser';
import { another, button, choose, idle, input, page, settled, snapshot, source, type } from './page';
import { trace } from './trace';

const CONFLICT = `mode EREW
input A[n] : int
output B[n] : int
processors n
if p > 0 { B[p] = A[p] + A[p - 1] }
`;

describe('own programs', () => {
  it('stop at a conflict, and go on in the mode that allows it', async () => {
    await type(CONFLICT);
    await button('Run to conflict').click();
    expect(await page().getByRole('alert').textContent()).toMatch(/Conflict in step 2.*processors 1 and 2.*CREW/s);
    expect(await page().locator('.processor.bad').count()).toBe(2);
    expect(await page().locator('[data-variable="A"] .cell').evaluateAll((cells) => cells.findIndex((cell) => cell.classList.contains('bad')))).toBe(1);
    expect(await page().locator('.failed-line').textContent()).toBe(CONFLICT.split('\n')[4]);
    expect(await page().locator('.failed-place').textContent()).toBe('A[p - 1]');
    const { states, error } = trace(CONFLICT, await input().inputValue());
    expect(error).toContain('processors 1 and 2 both read A[1]');
    expect((await snapshot()).variables).toEqual(states[states.length - 1].variables);
    await button('Go back to before it').click();
    expect((await snapshot()).failed).toBe(false);
    await button('Step').click();
    await button('Change the mode to CREW').click();
    await settled();
    expect(await page().getByLabel('Access mode').inputValue()).toBe('CREW');
    await button('Run to conflict').click();
    expect(await page().getByRole('alert').isVisible()).toBe(false);
    // It is no attempt at prefix sums: its result has another name.
    expect(await page().locator('#certificate').isVisible()).toBe(false);
  });

  it('that solve the problem have its certificate, wrong ones a counterexample', async () => {
    await choose('Prefix sums', 'scan');
    const text = await source();
    const end = async () => { await page().locator('h1').click(); await page().keyboard.press('End'); };
    await type(text.replace('S[p] = B[p] + A[p]', 'S[p] = A[p] + B[p]'));
    await end();
    expect(await page().locator('#certificate').textContent()).toBe('✓ Right. Each sum is the one before it plus its own number.');
    await type(text.replace('S[p] = B[p] + A[p]', 'S[p] = 2 * A[p]'));
    await end();
    expect(await page().locator('#certificate').textContent()).toMatch(/^✗ Does not solve “Prefix sums”\. S\[\d\] is \d+/);
  });

  it('that write one cell stop with the processors and what they write', async () => {
    await type('mode CREW\ninput A[n] : int\noutput x : int\nprocessors n\nx = p + 5\n');
    await button('Run to conflict').click();
    expect(await page().getByRole('alert').textContent()).toMatch(/Cell x; processors 0 and 1 write 5 and 6\. The weakest mode that allows this run is CRCW arbitrary/);
    expect(await page().locator('.chip.bad').textContent()).toBe('x = 0');
  });

  it('with the inputs of a graph show it, with an array as labels', async () => {
    await input().fill('graph =\n0 1\n0 2\n2 3');
    await type('mode CRCW common\ninput n : int\ninput source[m] : int\ninput target[m] : int\noutput reached[n] : int\nprocessors m\nreached[target[p]] = 7\n');
    await settled();
    await page().getByRole('tab', { name: 'Graph' }).click();
    await button('Step').click();
    expect(await page().locator('.edge').count()).toBe(3);
    expect(await page().locator('.node .value').allTextContents()).toEqual(['0', '7', '7', '7']);
  });

  it('are saved', async () => {
    await type(CONFLICT);
    const [file] = await Promise.all([page().waitForEvent('download'), button('Save').click()]);
    expect(file.suggestedFilename()).toBe('program.pram');
    expect(readFileSync((await file.path())!, 'utf8')).toBe(CONFLICT);
  });

  it('show mistakes where they are', async () => {
    await type(CONFLICT.replace('A[p - 1]', 'C[p - 1]'));
    expect(await page().locator('.mistake').textContent()).toContain("Line 5.");
    expect(await page().locator('.cm-lintRange-error').count()).toBe(1);
    expect(await button('Format').isDisabled()).toBe(true);
    // A warning does not keep it from running.
    await type(CONFLICT.replace('processors n', 'shared unused : int\nprocessors n'));
    expect(await page().locator('#sourcestate').textContent()).toBe('1 warning');
    expect(await page().locator('.cm-lintRange-warning').textContent()).toContain('unused');
    expect(await button('Step').isEnabled()).toBe(true);
  });

  it('are coloured by the grammar', async () => {
    const text = 'mode CREW\n# A remark.\ninput A[n] : real\noutput B[n] : real\nprocessors n\nB[p] = min(A[p], 1.5e3)\n';
    await type(text);
    const colours = await page().evaluate(() => {
      const of = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const hex = (rgb: string) => `#${rgb.match(/\d+/g)!.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
      const names = new Map(['keyword', 'type', 'number'].map((kind) => [of(`--code-${kind}`), kind]).concat([[of('--muted'), 'comment']]) as [string, string][]);
      return [...document.getElementById('editor')!.shadowRoot!.querySelectorAll('.cm-line span')]
        .map((span) => [span.textContent!, names.get(hex(getComputedStyle(span).color)) ?? ''] as [string, string]).filter(([, kind]) => kind !== '');
    });
    const has = (kind: string) => colours.filter(([, of]) => of === kind).map(([word]) => word);
    expect(has('keyword')).toEqual(['mode', 'input', 'output', 'processors']);
    expect(has('type')).toEqual(['real', 'real', 'min']);
    expect(has('number')).toEqual(['CREW', '1.5e3']);
    expect(has('comment')).toEqual(['# A remark.']);
  });

  it('are helped: completion, help on hover, format, and faults of the input at their place', async () => {
    await type('mode CREW\ninput numbers[n] : int\noutput B[n] : int\nprocessors n\nif p > 0 {\nB[p] = 1\n}\n');
    await button('Format').click();
    await idle();
    expect(await source()).toContain('if p > 0 {\n  B[p] = 1\n}');
    await page().locator('.cm-line', { hasText: 'processors n' }).hover({ position: { x: 30, y: 8 } });
    await page().waitForSelector('.cm-help');
    expect(await page().locator('.cm-help').textContent()).toContain('runs on processors p = 0 to n - 1');
    await page().mouse.move(640, 20);
    await page().getByRole('textbox', { name: 'Source' }).click();
    await page().keyboard.press('Control+End');
    await page().keyboard.type('B[0] = numb');
    await page().waitForSelector('.cm-tooltip-autocomplete');
    await page().waitForTimeout(150);
    await page().keyboard.press('Enter');
    await page().keyboard.type('[0] + lo');
    // Of what is built in, with its help.
    await page().waitForSelector('.cm-tooltip-autocomplete');
    await page().waitForTimeout(150);
    expect(await page().locator('.cm-tooltip-autocomplete li[aria-selected]').textContent()).toBe('log2');
    expect(await page().locator('.cm-completionInfo').textContent()).toContain('rounded down');
    await page().keyboard.press('Enter');
    await page().keyboard.type('(8');
    expect(await source()).toContain('B[0] = numbers[0] + log2(8)');
    await input().fill('numbers = 1\n2 x');
    await page().getByRole('button', { name: 'Line 2' }).click();
    expect(await page().evaluate(() => getSelection()!.toString())).toBe('2 x');
  });

  it('are opened from files, as are inputs', async () => {
    const file = (name: string, text: string) => page().locator('#file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await file('mine.pram', CONFLICT);
    await page().waitForFunction(() => (document.getElementById('mode') as HTMLSelectElement).value === 'EREW' && document.getElementById('where')!.textContent === 'Step 0 of 2');
    expect(await source()).toBe(CONFLICT);
    await choose('Components', 'components');
    await file('graph.mtx', '%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n');
    await idle();
    expect((await snapshot()).variables.source).toEqual(['1', '0']);
  });

  it('are shared in the address', async () => {
    await type(CONFLICT);
    await input().fill('A = 7 8 9');
    await settled();
    await button('Share').click();
    await page().waitForFunction(() => location.hash.length > 10);
    const other = await another();
    await open(other, page().url());
    const shared = await other.evaluate(() => (window as unknown as { lab: { snapshot(): Snapshot; editor: { text: string } } }).lab.snapshot());
    expect(shared.variables.A).toEqual(['7', '8', '9']);
    await other.close();
  });
});
