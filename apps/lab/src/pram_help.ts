/** One line about each word of the language, and the names that a program declares. */
export const HELP: Record<string, string> = {
  mode: 'mode EREW: which processors may use one cell in one step. The first statement of a program.',
  EREW: 'Exclusive read, exclusive write: a cell is used by one processor in a step.',
  CREW: 'Concurrent read, exclusive write: many may read a cell in a step, one may write it.',
  CRCW: 'Concurrent read, concurrent write: many may write a cell; the next word says what it becomes.',
  common: 'Many may write one cell if all write the same value.',
  arbitrary: 'Of many that write one cell, one is drawn.',
  priority: 'Of many that write one cell, the processor with the least number wins.',
  combining: 'combining +: all that is written to a cell in a step is combined, without the old value.',
  input: 'input A[n] : int: given from outside, and never written. A size that is a name becomes known by it.',
  output: 'output S[n] : int: shared memory that is a result. Begins at 0, or at the value after "=".',
  inout: 'inout A[n] : int: given from outside, written, and a result.',
  shared: 'shared B[n] : int: shared memory for what lies between.',
  const: 'const m = 2 * n: a value that never changes.',
  private: 'private d = 1: each processor has its own. The type may be left out where a value is given.',
  function: 'function f(x : int) : int = x + 1: written out wherever it is used.',
  processors: 'processors n { ... }: the block runs on processors p = 0 to n - 1. Without braces: all that follows.',
  if: 'if c { ... } else { ... }: those for which c holds run the first part while the others wait; then the others run theirs.',
  else: 'The part for those whose condition does not hold.',
  while: 'while c { ... }: those for which c holds run the body again, until none is left.',
  for: 'for k = 0 to n - 1 { ... }: the bounds are included; "down to" counts down, "step" by more than 1.',
  min: 'min(a, b): the lesser.', max: 'max(a, b): the greater.', abs: 'abs(a): without its sign.',
  log2: 'log2(a): of an integer, rounded down.', sqrt: 'sqrt(a): the square root, real.', floor: 'floor(a): rounded down.', ceil: 'ceil(a): rounded up.',
  shift_left: 'shift_left(a, k): a times 2^k.', shift_right: 'shift_right(a, k): a divided by 2^k, rounded down.',
  bit_and: 'bit_and(a, b): of each bit.', bit_or: 'bit_or(a, b): of each bit.', xor: 'xor(a, b): of each bit, or of two truth values.',
  int: 'Integers of 64 bits.', int32: 'Integers of 32 bits.', real: 'Numbers of double precision.', bool: 'true or false.',
  infinity: 'Greater than every real.', p: 'The number of the processor, from 0.',
};

/** Names with the lines that declare them. */
export function declarations(program: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of program.split('\n')) {
    const code = line.replace(/#.*/, '').trim();
    for (const [, name] of code.matchAll(/\b(?:input|output|inout|shared|const|private|function)\s+([A-Za-z_]\w*)/g)) if (!found.has(name)) found.set(name, code);
    for (const [, name] of code.matchAll(/\bfor\s+([A-Za-z_]\w*)\s*=/g)) if (!found.has(name)) found.set(name, code);
    const block = /\bprocessors\s+([^{]*)/.exec(code)?.[1] ?? '';
    for (const [, name] of block.matchAll(/([A-Za-z_]\w*)\s*</g)) if (!found.has(name)) found.set(name, code);
    // Sizes are known by the arrays that have them.
    for (const [, sizes] of code.matchAll(/^(?:input|inout)\s+\w+\[([^\]]*)\]/g)) {
      for (const size of sizes.split(',').map((part) => part.trim())) if (/^[A-Za-z_]\w*$/.test(size) && !found.has(size)) found.set(size, `the size ${size} of ${code}`);
    }
  }
  return found;
}

/** About the word at a place; nothing where there is none, or nothing to say. */
export const helpOf = (program: string, word: string): string | undefined => declarations(program).get(word) ?? HELP[word];
