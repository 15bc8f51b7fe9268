import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../src/engine';
import { formatted } from '../src/format';
import { declarations, HELP, helpOf } from '../src/pram_help';
import { engine } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

it('formats: programs of the library are as they should be, others become so', () => {
  for (const { name, text } of lab.library()) {
    expect(formatted(text), name).toBe(text);
    expect(formatted(text.replace(/^ +/gm, '')), name).toBe(text);
  }
  expect(formatted('if a {\nb = 1 # {\n} else {\nc = 2\n}\n\n\n')).toBe('if a {\n  b = 1 # {\n} else {\n  c = 2\n}\n');
  expect(formatted('}}\nx\n')).toBe('}}\nx\n');
});

it('knows what each program declares, and has help for each word', () => {
  const names = declarations('input A[n, m] : int\nprivate d = 1 # private e\nprocessors i < n, j < m {\nfor k = 0 to 3 { x = 1 }\n}');
  expect([...names.keys()].sort()).toEqual(['A', 'd', 'i', 'j', 'k', 'm', 'n']);
  expect(helpOf('private d = 1', 'd')).toBe('private d = 1');
  expect(helpOf('', 'while')).toBe(HELP.while);
  expect(helpOf('', 'nothing')).toBeUndefined();
  for (const { text } of lab.library()) {
    for (const { name } of lab.check(text).inputs) expect(declarations(text).has(name), name).toBe(true);
  }
});
