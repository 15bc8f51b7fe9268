import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GROUPS, inkOf, RAMP, SIDES } from '../src/views/graph/looks';
import { contrast, distance, SIGHTS } from './colours';

/** Five differences that are just noticeable. */
const APART = 12;
/** Colours that say different things in one picture. */
const MEANINGS = {
  'cells and bars': ['bar', 'changed', 'failed'],
  'arrows and what they lead to': ['read', 'write', 'changed', 'failed'],
  processors: ['idle', 'accent', 'failed'],
  borders: ['line', 'changed', 'failed'],
  matrices: ['write', 'accent', 'changed', 'failed'],
  edges: ['muted', 'changed', 'read', 'chosen'],
  pointers: ['muted', 'write', 'chosen'],
  verdicts: ['right', 'failed'],
  executors: ['muted', 'read', 'changed', 'cuda', 'opencl', 'text'],
};
/** Text, and what it stands on. */
const TEXTS = {
  text: ['page', 'surface', 'raised', 'current', 'linked', 'selection', 'changed-soft', 'failed-soft', 'right-soft', 'idle'],
  muted: ['page', 'surface', 'raised', 'current', 'linked', 'idle'],
  accent: ['page', 'surface', 'raised', 'current'],
  failed: ['surface', 'failed-soft', 'current'],
  right: ['page', 'surface', 'right-soft', 'current'],
  'code-keyword': ['surface', 'current', 'linked', 'failed-soft'],
  'code-type': ['surface', 'current', 'linked', 'failed-soft'],
  'code-number': ['surface', 'current', 'linked', 'failed-soft'],
  'on-accent': ['accent', 'failed'],
};
const SHAPES = ['accent', 'bar', 'changed', 'read', 'write', 'failed', 'chosen', 'right', 'muted', 'focus', 'cuda', 'opencl'];

const css = readFileSync('src/style.css', 'utf8');
const declared = (block: string) => Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{3,6})\b/g)].map(([, name, value]) => [name, value]));
const blocks = css.split(/\n\}\n/);
const light = declared(blocks[0]);
const THEMES = { light, dark: { ...light, ...declared(blocks[1]) } };

it('both themes are found', () => {
  expect([THEMES.light.surface, THEMES.dark.surface]).toEqual(['#fff', '#1a2029']);
});

it('a dichromat sees what the matrices say', () => {
  // Red and green of the same lightness, and blue and yellow.
  expect(distance('#c8142b', '#4a7a00', 'all colours')).toBeGreaterThan(80);
  expect(distance('#c00000', '#4f5a00', 'deuteranopia')).toBeLessThan(30);
  expect(distance('#ffffff', '#ffffff', 'protanopia')).toBe(0);
  expect(contrast('#000', '#fff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

for (const [theme, colours] of Object.entries(THEMES)) {
  for (const sight of Object.keys(SIGHTS)) {
    it(`what has a meaning is told apart: ${theme}, ${sight}`, () => {
      const alike = Object.entries(MEANINGS).flatMap(([what, names]) => names.flatMap((a, i) => names.slice(i + 1)
        .map((b) => ({ pair: `${what}: ${a} and ${b}`, apart: distance(colours[a], colours[b], sight) })))).filter(({ apart }) => !(apart >= APART));
      expect(alike).toEqual([]);
    });
  }

  it(`texts have the contrast of WCAG AA, shapes that of 1.4.11: ${theme}`, () => {
    const texts = Object.entries(TEXTS).flatMap(([name, grounds]) => grounds.map((ground) => ({ pair: `${name} on ${ground}`, ratio: contrast(colours[name], colours[ground]), least: 4.5 })));
    const shapes = SHAPES.map((name) => ({ pair: `${name} on surface`, ratio: contrast(colours[name], colours.surface), least: 3 }));
    expect([...texts, ...shapes].filter(({ ratio, least }) => !(ratio >= least))).toEqual([]);
  });
}

it('sides of a graph are told apart, as are the first groups and far from near', () => {
  for (const sight of Object.keys(SIGHTS)) {
    expect(distance(SIDES.left[0], SIDES.right[0], sight), sight).toBeGreaterThan(APART);
    expect(distance(RAMP[0], RAMP[RAMP.length - 1], sight), sight).toBeGreaterThan(50);
    const groups = GROUPS.slice(0, 8);
    const least = Math.min(...groups.flatMap((a, i) => groups.slice(i + 1).map((b) => distance(a, b, sight))));
    expect(least, sight).toBeGreaterThan(5);  // Each label also stands in its nodes.
  }
});

it('names of nodes are readable on every colour', () => {
  const inks = { dark: '#10151d', light: '#ffffff' };
  const fills = [GROUPS, RAMP].flatMap((list) => list.map((fill, i): [string, string] => [fill, inks[inkOf(list === RAMP, i)]]));
  expect(fills.map(([fill, ink]) => ({ fill, ratio: contrast(fill, ink) })).filter(({ ratio }) => ratio < 4.5)).toEqual([]);
});
