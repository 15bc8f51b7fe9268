import { beforeAll, expect, it } from 'vitest';
import { UserError, type Engine } from '../src/engine';
import { declarations, HELP, helpOf } from '../src/pram_help';
import { engine } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

it('formats: programs of the library are as they should be, others become so', () => {
  for (const { name, text } of lab.library()) {
    expect(lab.format(text).text, name).toBe(text);
    expect(lab.format(text.replace(/^ +/gm, '')).text, name).toBe(text);
  }
  expect(lab.format('mode EREW\noutput x:int\nif true {\nx=1 # {\n} else {\nx = 2\n}\n\n\n').text)
    .toBe('mode EREW\noutput x : int\nif true {\n  x = 1  # {\n} else {\n  x = 2\n}\n');
  expect(() => lab.format('}}\nx\n')).toThrow(UserError);
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
