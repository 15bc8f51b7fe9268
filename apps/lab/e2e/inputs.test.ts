import { describe, expect, it } from 'vitest';
import { button, choose, idle, input, page, settled, snapshot, source, type } from './page';

const kinds = () => page().getByLabel('Kind of input').locator('option').evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));

describe('inputs', () => {
  for (const [problem, algorithm, names] of [
    ['Sort', 'sort', ['random', 'constant', 'shuffle', 'ascending', 'descending']],
    ['Spanning tree', 'spanning_forest', ['random', 'grid', 'tree', 'bipartite', 'kronecker']],
  ] as const) {
    it(`are generated in every kind, with a right result: ${problem}`, async () => {
      await choose(problem, algorithm);
      expect(await kinds()).toEqual(names);
      const texts = new Set<string>();
      for (const name of names) {
        await page().getByLabel('Kind of input').selectOption(name);
        await button('Generate').click();
        await idle();
        texts.add(await input().inputValue());
        await button('Run to conflict').click();
        expect(await page().locator('#certificate').textContent(), name).toContain('✓ Right');
      }
      expect(texts.size).toBe(names.length);
    });
  }

  it('are dropped on the page, as are programs and lessons', async () => {
    const drop = async (on: string, name: string, text: string) => {
      await page().evaluate(([target, file, content]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content], file));
        document.querySelector(target)!.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, [on, name, text] as const);
      await idle();
    };
    await drop('#input', 'numbers.txt', 'A = 3 2 1');
    expect((await snapshot()).variables.A).toEqual(['3', '2', '1']);
    const program = 'mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p]\n';
    await drop('#editor', 'mine.pram', program);
    expect(await source()).toBe(program);
    await drop('#view', 'mine.md', '# Dropped\n');
    expect(await page().locator('#lesson h2').textContent()).toBe('Dropped');
  });

  it('that are negative and real have bars on both sides of zero', async () => {
    await input().fill('A = 1.5 -3 0');
    await type('mode EREW\ninput A[n] : real\noutput B[n] : real\nprocessors n\nB[p] = 2 * A[p]\n');
    await settled();
    const bars = () => page().locator('[data-variable="A"] rect.bar-rect').evaluateAll((all) => all.map((bar) => ['y', 'height'].map((name) => Number(bar.getAttribute(name)))));
    const zero = Number(await page().locator('[data-variable="A"] .axis').getAttribute('y1'));
    const [up, down] = await bars();
    expect(up[0] + up[1]).toBeCloseTo(zero, 0);
    expect(down[0]).toBeCloseTo(zero, 0);
    expect(down[1] / up[1]).toBeCloseTo(2, 1);
    expect(await page().locator('[data-of-variable="A"]').allTextContents()).toEqual(['1.5', '-3', '0']);
    await button('Step').click();
    expect(await page().locator('[data-of-variable="B"]').allTextContents()).toEqual(['3', '-6', '0']);
  });
});
