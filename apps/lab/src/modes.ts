/** Access modes, and the line of a program that chooses one. */

export const MODES = ['EREW', 'CREW', 'CRCW common', 'CRCW arbitrary', 'CRCW priority'];
const OPERATORS = ['+', '*', 'min', 'max', 'and', 'or', 'xor'];
export const COMBINING = OPERATORS.map((operator) => `CRCW combining ${operator}`);

const LINE = /^([ \t]*)mode[ \t]+[^\n#]*?([ \t]*(?:#[^\n]*)?)$/m;

/** The program with another mode; its lines keep their numbers where it has a line for the mode. */
export const withMode = (program: string, mode: string): string =>
  LINE.test(program) ? program.replace(LINE, `$1mode ${mode}$2`) : `mode ${mode}\n${program}`;
