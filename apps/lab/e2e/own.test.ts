/** Programs that nobody wrote for the lab: what the page makes of their variables, and states equal to lanewise pram trace. */
import { describe, expect, it } from 'vitest';
import { idle, input, page, source, type, walk } from './page';
import { trace } from './trace';

interface Own { what: string; program: string; inputs: string[]; shows: string[]; graph?: boolean }

const MATRIX = 'mode CREW\ninput M[r, c] : int\noutput T[c, r] : int\noutput most[r] : int\nprocessors i < r, j < c\nT[j, i] = M[i, j] * 2\nif j == 0 {\n  private k = 0\n  while k < c { most[i] = max(most[i], M[i, k])\n    k = k + 1 }\n}\n';
const REALS = 'mode EREW\ninput X[n] : real\ninput scale : real\noutput Y[n] : real\noutput big[n] : bool\nprocessors n\nY[p] = X[p] * scale - 0.5\nbig[p] = Y[p] > 1.0\n';
const SEVERAL = 'mode CREW\ninput A[n] : int\ninput B[m] : int\ninput k : int\noutput C[n + m] : int\noutput common : int\nprocessors n + m\nif p < n { C[p] = A[p] + k } else { C[p] = B[p - n] - k }\nif p == 0 { common = n * m }\n';
const WEIGHTS = 'mode CRCW combining min\ninput n : int\ninput source[m] : int\ninput target[m] : int\ninput weight[m] : int\noutput nearest[n] : int = 1000\noutput degree[n] : int combining +\nprocessors m\nnearest[target[p]] = weight[p]\ndegree[source[p]] = 1\n';
const NEIGHBOURS = 'mode CREW\ninput offset[k] : int\ninput neighbour[m] : int\noutput last[max(k - 1, 0)] : int = -1\nprocessors max(k - 1, 0)\nprivate e = offset[p]\nwhile e < offset[p + 1] { last[p] = max(last[p], neighbour[e])\n  e = e + 1 }\n';
const SCALARS = 'mode EREW\ninput a : int\ninput b : int\noutput gcd : int\nprivate x = a\nprivate y = b\nwhile y != 0 { x, y = y, x % y }\ngcd = x\n';

const OWN: Own[] = [
  { what: 'an array that is rotated', program: 'mode EREW\ninout A[n] : int\nprocessors n\nA[(p + 1) % n] = A[p]\n', inputs: ['A = ', 'A = 7', 'A = 3 -1 4 1 -5 9 2 6'], shows: ['A'] },
  { what: 'matrices', program: MATRIX, inputs: ['M = 5', 'M =\n1 2 3\n4 5 6', 'M =\n1\n2\n3'], shows: ['M', 'T', 'most'] },
  { what: 'reals and conditions', program: REALS, inputs: ['X = \nscale = 2', 'X = 0.5\nscale = -1.5', 'X = 0.25 1e6 -3 0\nscale = 2.5'], shows: ['X', 'Y', 'big'] },
  { what: 'several inputs', program: SEVERAL, inputs: ['A = \nB = \nk = 3', 'A = 1\nB = \nk = 0', 'A = 1 2 3\nB = 9 8\nk = -4'], shows: ['A', 'B', 'C'] },
  { what: 'a graph with weights', program: WEIGHTS, inputs: ['graph =\n0 1 5', 'graph =\n0 1 5\n0 2 3\n2 1 4\n3 1 9'], shows: ['nearest', 'degree'], graph: true },
  { what: 'neighbours of a graph', program: NEIGHBOURS, inputs: ['graph =\n0 1', 'graph =\n0 1\n0 2\n2 1\n3 1'], shows: ['offset', 'neighbour', 'last'], graph: true },
  { what: 'scalars alone', program: SCALARS, inputs: ['a = 0\nb = 0', 'a = 1\nb = 0', 'a = 84\nb = 36'], shows: ['gcd'] },
];

describe('own programs have a view of their variables, and the states of the trace', () => {
  for (const { what, program, inputs, shows, graph } of OWN) {
    it(what, async () => {
      await page().getByRole('textbox', { name: 'Input' }).fill(inputs[0]);
      await type(program);
      expect(await source()).toBe(program);
      for (const text of inputs) {
        await input().fill(text);
        await idle();
        expect(await page().locator('#inputfault').textContent(), text).toBe('');
        const { states, error } = trace(program, text);
        const { forwards, backwards } = await walk();
        expect(error, text).toBeNull();
        expect(forwards, text).toEqual(states);
        expect(backwards, text).toEqual(states);
      }
      const picture = (await page().locator('#view').textContent())!;
      for (const name of shows) expect(picture, name).toMatch(new RegExp(`(?<![A-Za-z])${name}(?![A-Za-z])`));
      if (!graph) return;
      await page().getByRole('tab', { name: 'Graph' }).click();
      await idle();
      expect(await page().locator('.edge').count()).toBe(inputs.at(-1)!.split('\n').length - 1);
    });
  }
});
