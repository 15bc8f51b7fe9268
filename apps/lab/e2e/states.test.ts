import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../src/catalog';
import { ALL } from './long';
import { button, choose, input, page, source, time, walk } from './page';
import { trace } from './trace';

/** Of many kinds; the others are long tests. */
const FEW = ['reduction', 'sort', 'matching', 'components'];

describe('the page equals lanewise pram trace', () => {
  for (const { name: problem, algorithms } of PROBLEMS) {
    for (const algorithm of algorithms.filter((name) => ALL || FEW.includes(name))) {
      it(`${algorithm}, forwards and backwards`, async () => {
        await choose(problem, algorithm);
        const { states, error } = trace(await source(), await input().inputValue());
        expect(error).toBeNull();
        const { forwards, backwards } = await walk();
        expect(forwards).toEqual(states);
        expect(backwards).toEqual(states);
      });
    }
  }
});

describe('the picture', () => {
  const TEN = ['scan', 'reduction', 'exclusive_scan', 'doubling_scan', 'sort', 'sort_odd_even', 'sort_bitonic', 'odd_even_sort', 'bitonic_sort', 'merge'];
  for (const algorithm of ALL ? TEN : TEN.slice(0, 2)) {
    it(`shows the values of the trace, forwards and backwards: ${algorithm}`, async () => {
      await choose(PROBLEMS.find(({ algorithms }) => algorithms.includes(algorithm))!.name, algorithm);
      const { states } = trace(await source(), await input().inputValue());
      const places = [...states.keys()];
      for (const k of [...places, ...places.reverse()]) {
        await time().fill(String(k));
        const shown = await page().locator('[data-of-variable]').evaluateAll((cells) => cells.map((cell) => [cell.getAttribute('data-of-variable')!, cell.textContent!]));
        for (const [name, cells] of Object.entries(states[k].variables).filter(([, values]) => values.length > 1)) {
          expect(shown.filter(([of]) => of === name).map(([, text]) => text), `${name} after step ${k}`).toEqual(cells);
        }
      }
    });
  }

  it('marks the cells that the step changed, and no others', async () => {
    await choose('Reduction', 'reduction');
    const { states } = trace(await source(), await input().inputValue());
    for (let k = 1; k < states.length; ++k) {
      await button('Step').click();
      const cells = await page().locator('[data-variable="B"] .cell').evaluateAll((all) => all.map((cell) => cell.classList.contains('changed')));
      expect(cells, `step ${k}`).toEqual(states[k].variables.B.map((value, i) => value !== states[k - 1].variables.B[i]));
    }
  });

  it('has arrows from processors to the cells that they use', async () => {
    await choose('Prefix sums', 'scan');
    await button('Step').click();
    expect(await page().locator('.arrow.read[data-of]').count()).toBe(8);
    expect(await page().locator('.arrow.write[data-of]').count()).toBe(8);
    expect(await page().locator('.processor.active').count()).toBe(8);
  });
});
