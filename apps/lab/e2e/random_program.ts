/** Random PRAM programs that end: assignments with all kinds of indexes, branches, loops, blocks, in all modes. */
import { random } from '../src/inputs';
import { COMBINING, MODES } from '../src/modes';

const ARRAYS = ['A', 'B', 'C'];

export function randomProgram(seed: number): { program: string; input: string } {
  const next = random(seed * 7919 + 17);
  const pick = <T>(list: T[]): T => list[next(list.length)];
  let names = 0;
  const n = 1 + next(6);

  const value = (depth: number, own: string[]): string => {
    const leaf = [() => String(next(6)), () => 'n', () => (own.length > 0 ? pick(own) : '3'), () => `${pick(ARRAYS)}[${index(depth - 1, own)}]`, () => 'x'];
    if (depth <= 0) return pick(leaf.slice(0, 3))();
    return pick([
      ...leaf,
      () => `(${value(depth - 1, own)} ${pick(['+', '-', '*'])} ${value(depth - 1, own)})`,
      () => `${pick(['min', 'max'])}(${value(depth - 1, own)}, ${value(depth - 1, own)})`,
      () => `(${value(depth - 1, own)} ${pick(['/', '%'])} ${1 + next(4)})`,
      () => `(${condition(depth - 1, own)} ? ${value(depth - 1, own)} : ${value(depth - 1, own)})`,
      // Now and then an error: division by what may be 0.
      () => (next(12) === 0 ? `(${value(0, own)} / ${value(0, own)})` : value(depth - 1, own)),
    ])();
  };
  const index = (depth: number, own: string[]): string => (own.includes('p') && next(3) > 0 ? pick(['p', 'n - 1 - p', '(p + 1) % n']) : `(${value(depth, own)}) % n`);
  const condition = (depth: number, own: string[]): string =>
    (next(4) === 0 ? `(${condition(0, own)}) ${pick(['and', 'or'])} not (${condition(0, own)})` : `${value(depth, own)} ${pick(['<', '<=', '==', '!=', '>'])} ${value(depth, own)}`);

  const statements = (depth: number, own: string[], indent: string): string[] => {
    const mine = [...own];
    return Array.from({ length: 1 + next(3) }).flatMap((): string[] => {
      const inner = () => statements(depth - 1, mine, `${indent}  `);
      const cell = () => `${pick(['B', 'C'])}[${index(1, mine)}]`;
      switch (next(depth > 0 ? 8 : 5)) {
        case 0: {
          const name = `q${names++}`;
          const line = `${indent}private ${name} = ${value(2, mine)}`;
          mine.push(name);
          return [line];
        }
        case 1: case 2: return [`${indent}${cell()} = ${value(2, mine)}`];
        case 3: return [`${indent}B[${index(1, mine)}], C[${index(1, mine)}] = ${value(1, mine)}, ${value(1, mine)}`];
        case 4: return [`${indent}x = ${value(1, mine)}`];
        case 5: return [`${indent}if ${condition(1, mine)} {`, ...inner(), `${indent}} else {`, ...inner(), `${indent}}`];
        case 6: return [`${indent}for k${names++} = 0 to ${next(3)} {`, ...inner(), `${indent}}`];
        default: {
          const name = `q${names++}`;
          return [`${indent}private ${name} = ${value(0, mine)} % 4`, `${indent}while ${name} < ${1 + next(5)} {`, `${indent}  ${name} = ${name} + 1`, ...inner(), `${indent}}`];
        }
      }
    });
  };
  const blocks = Array.from({ length: 1 + next(3) }).flatMap(() => [`processors ${pick(['n', 'n', 'n + 1', '2'])} {`, ...statements(2, ['p'], '  '), '}', ...(next(3) === 0 ? statements(1, [], '') : [])]);
  const numbers = (shift: number) => Array.from({ length: n }, (_, i) => next(10) - 4 + shift * i).join(' ');
  return {
    program: [`mode ${pick([...MODES, pick(COMBINING.slice(0, 4))])}`, 'input A[n] : int', 'inout B[n] : int', 'output C[n] : int', 'output x : int', ...blocks].join('\n') + '\n',
    input: `A = ${numbers(0)}\nB = ${numbers(1)}`,
  };
}
