/** A task of a lesson: a program that is to do what another one does, perhaps in a mode, depth or number of kernels. */
import type { Client } from '../client';
import { CURVES, fit } from '../growth';
import { generatedInput } from '../inputs';
import { MODES } from '../modes';
import { Run, text } from '../run';
import type { LibraryProgram } from '../types';
import { halves, type Block } from './markdown';

export interface Task {
  title: string;
  /** What the student begins with. */
  start: string;
  reference: string;
  /** Of array or graph. */
  inputs: string;
  mode?: string;
  depth?: string;
  kernels?: number;
}
/** `input`: one on which the program is wrong. */
export interface Verdict { right: boolean; text: string; input?: string }

const SIZES = [1, 2, 3, 5, 8, 13, 16];
const LARGE = 64;
const LIMITS = { steps: 100_000, changes: 1_000_000 };

export function taskOf({ name, options, body }: Block, library: LibraryProgram[]): Task {
  const [start, own] = halves(body);
  const reference = own !== '' ? `${own}\n` : library.find((program) => program.name === name)?.text;
  if (!reference) throw new Error(`The task names no program that is there: '${name}'.`);
  return {
    title: options.title ?? 'Task', start, reference, inputs: options.inputs ?? 'signed',
    mode: options.mode, depth: options.depth, kernels: options.kernels === undefined ? undefined : Number(options.kernels),
  };
}

/** What a task asks for beside right outputs. */
export const conditions = ({ mode, depth, kernels }: Task): string[] => [
  ...(mode ? [`runs in mode ${mode}`] : []), ...(depth ? [`has depth O(${depth})`] : []), ...(kernels ? [`takes at most ${kernels} ${kernels === 1 ? 'kernel' : 'kernels'}`] : []),
];

type Call = Client['call'];

/** The values of outputs at the end of a run, by name; null where it does not end. */
async function outputs(call: Call, program: string, input: string): Promise<{ values: Map<string, string>; problem: string | null }> {
  const run = new Run(await call('run', program, input, LIMITS.steps, LIMITS.changes));
  run.seek(run.end);
  const { end, variables } = run.summary;
  const problem = end.kind === 'error' ? `step ${end.step} fails: ${end.message.split('\n')[0].replace(/^[^:]*:(\d+):\d+: /, 'line $1: ')}` : end.kind === 'limit' ? 'it does not end' : null;
  const values = new Map(variables.flatMap(({ name, role, type }, i): [string, string][] =>
    (role === 'output' || role === 'inout' ? [[name, Array.from(run.variables[i], (word) => text(type, word)).join(' ')]] : [])));
  return { values, problem };
}

export async function judge(task: Task, program: string, call: Call): Promise<Verdict> {
  const wrong = (text: string, input?: string): Verdict => ({ right: false, text, input });
  const check = await call('check', program);
  if (check.mode === null) {
    const { line, message, advice } = check.diagnostics.find(({ severity }) => severity === 'error')!;
    return wrong(`The program has an error in line ${line}: ${message}${advice ? `; ${advice}` : ''}.`);
  }
  if (task.mode && MODES.indexOf(check.mode) !== MODES.indexOf(task.mode)) return wrong(`The program has mode ${check.mode}; the task wants ${task.mode}.`);
  const { inputs } = await call('check', task.reference);
  for (const [i, size] of SIZES.entries()) {
    const input = await generatedInput(inputs, task.inputs, size, 7 * i + 3, call);
    const expected = await outputs(call, task.reference, input);
    let own: Awaited<ReturnType<typeof outputs>>;
    try {
      own = await outputs(call, program, input);
    } catch (error) {
      return wrong(`The program does not take the task's input: ${(error as Error).message}`, input);
    }
    if (own.problem) return wrong(`On the input "${shown(input)}" ${own.problem}.`, input);
    for (const [name, value] of expected.values) {
      const given = own.values.get(name);
      if (given === undefined) return wrong(`The program has no output '${name}'.`);
      if (given !== value) return wrong(`On the input "${shown(input)}" ${name} is ${given}, not ${value}.`, input);
    }
  }
  if (task.kernels !== undefined) {
    const { kernels } = await call('kernelSteps', program, await generatedInput(inputs, task.inputs, LARGE, 5, call), [], LIMITS.steps);
    if (kernels > task.kernels) return wrong(`For n = ${LARGE} the outputs are right, but the program takes ${kernels} kernels, more than ${task.kernels}.`);
  }
  if (task.depth) {
    const grown = await growth(task, program, inputs, call);
    const order = CURVES.map(([name]) => name);
    if (order.indexOf(grown) > order.indexOf(task.depth)) return wrong(`The outputs are right, but the depth grows like ${grown}; the task wants ${task.depth}.`);
  }
  return { right: true, text: `Right, on ${SIZES.length} inputs of ${SIZES[0]} to ${SIZES[SIZES.length - 1]}.` };
}

async function growth(task: Task, program: string, inputs: Parameters<typeof generatedInput>[0], call: Call): Promise<string> {
  const points = [];
  for (let n = 4; n <= 256; n *= 2) {
    const { depth } = await call('measure', program, await generatedInput(inputs, task.inputs, n, 11, call), LIMITS.steps);
    points.push({ n, value: depth });
  }
  return fit(points).name;
}

const shown = (input: string): string => (input.length > 60 ? `${input.slice(0, 57)}…` : input).replace(/\s*\n\s*/g, '; ');
