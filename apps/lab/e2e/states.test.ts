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

  it('has the earlier states as rows, each with what changed', async () => {
    await choose('Reduction', 'reduction');
    const all = trace(await source(), await input().inputValue()).states.map(({ variables }) => variables.B);
    for (let k = 1; k < all.length; ++k) {
      await button('Step').click();
      const texts = await page().locator('.rows text:not(.faint)').allTextContents();
      const changed = await page().locator('.rows .cell').evaluateAll((cells) => cells.map((cell) => cell.classList.contains('changed')));
      const states = all.slice(0, k + 1).map((cells, i) => ({ cells, changed: cells.map((value, at) => i > 0 && value !== all[i - 1][at]) }))
        .filter(({ changed: any }, i) => i === 0 || any.includes(true));
      const shown = states.slice(-texts.length / all[0].length);
      expect(texts, `step ${k}`).toEqual(shown.flatMap(({ cells }) => cells));
      expect(changed, `step ${k}`).toEqual(shown.flatMap((state) => state.changed));
    }
  });

  it('has arrows from processors to the cells that they use', async () => {
    await choose('Prefix sums', 'scan');
    /** Each arrow by where it begins and ends. */
    const arrows = (kind: string, variable: string) => page().evaluate(([which, name]) => {
      const boxes = (selector: string) => [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
      const at = (list: DOMRect[], x: number) => list.findIndex(({ left, right }) => left <= x && x < right);
      const [processors, cells] = [boxes('rect.processor'), boxes(`[data-variable="${name}"] .cell`)];
      return [...document.querySelectorAll<SVGPathElement>(`.arrow.${which}[data-of]`)].flatMap((arrow) => {
        const to = (place: number) => arrow.getPointAtLength(place).matrixTransform(arrow.getScreenCTM()!);
        const [from, end] = [to(0), to(arrow.getTotalLength())];
        // Below the cells of the variable, not of another.
        return end.y < cells[0].top || end.y > cells[0].bottom + 20 ? [] : [`${at(processors, from.x)} ${at(cells, end.x)}`];
      }).sort();
    }, [kind, variable]);
    await button('Step').click();
    const each = Array.from({ length: 8 }, (_, p) => `${p} ${p}`);
    expect([await arrows('read', 'A'), await arrows('write', 'B')]).toEqual([each, each]);
    expect([await arrows('read', 'B'), await arrows('write', 'A')]).toEqual([[], []]);
    expect(await page().locator('.processor.active').count()).toBe(8);
    // B[left], B[right] = B[right], B[left] + B[right]
    await time().fill('23');
    const pairs = ['0 1', '0 3', '1 5', '1 7'];
    expect([await arrows('read', 'B'), await arrows('write', 'B')]).toEqual([pairs, pairs]);
  });
});
