/** The states of a run as `lanewise pram trace` writes them: the oracle of the page. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './browser';

export interface State { line: number; active: number; work: number; depth: number; variables: Record<string, string[]> }
export interface Trace { states: State[]; error: string | null }

interface TracedVariable { name: string; type: string; extents: number[]; values: (number | string | boolean)[] }
interface TracedChange { variable?: string; cell: number[]; after: number | string | boolean }

/** Integers that a double does not hold become text. */
const parse = (line: string) => JSON.parse(line.replace(/(?<=[:,[])-?\d{16,}(?=[,\]}])/g, '"$&"'));
const INFINITE: Record<string, string> = { infinity: 'Infinity', '-infinity': '-Infinity', inf: 'Infinity', '-inf': '-Infinity', nan: 'NaN' };
const valueOf = (type: string, value: number | string | boolean) =>
  type === 'real' ? String(typeof value === 'string' ? (INFINITE[value] ?? value) : Number(value)) : String(value);

/** The page's input as arguments; it has a file for each part. */
function inputArguments(input: string, folder: string): string[] {
  const result: string[] = [];
  for (const section of input.split(/^(?=\s*\w+\s*=)/m).filter((text) => text.trim() !== '')) {
    const [, name, values] = /^\s*(\w+)\s*=([^]*)$/.exec(section)!;
    const file = join(folder, `${name}.txt`);
    writeFileSync(file, values.trim() + '\n');
    if (name === 'graph') result.push('--graph', file);
    else result.push('-i', `${name}=@${file}`);
  }
  return result;
}

/** `by`: a state after each statement, or each kernel. */
export function trace(program: string, input: string, by = 'statement'): Trace {
  const folder = mkdtempSync(join(tmpdir(), 'lab-'));
  const file = join(folder, 'program.pram');
  writeFileSync(file, program);
  const lanewise = process.env.LANEWISE ?? join(root, 'build/lanewise');
  const ran = spawnSync(lanewise, ['pram', 'trace', file, '--by', by, ...inputArguments(input, folder)], { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (ran.error) throw ran.error;
  const lines = ran.stdout.trim().split('\n');
  if (!lines[0]) throw new Error(ran.stderr);
  const variables: TracedVariable[] = parse(lines[0]).variables;
  const types = new Map(variables.map((v) => [v.name, v]));
  let state: State = {
    line: 0, active: 0, work: 0, depth: 0,
    variables: Object.fromEntries(variables.map((v) => [v.name, v.values.map((value) => valueOf(v.type, value))])),
  };
  const states = [state];
  let error: string | null = null;
  for (const line of lines.slice(1)) {
    const entry = parse(line);
    if (entry.end) break;
    if (entry.error) { error = entry.error; break; }
    const cells = { ...state.variables };
    for (const change of entry.changes as TracedChange[]) {
      if (change.variable === undefined) continue;
      const { type, extents } = types.get(change.variable)!;
      const at = change.cell.length === 2 ? change.cell[0] * extents[1] + change.cell[1] : (change.cell[0] ?? 0);
      if (cells[change.variable] === state.variables[change.variable]) cells[change.variable] = [...cells[change.variable]];
      cells[change.variable][at] = valueOf(type, change.after);
    }
    state = { line: entry.line, active: entry.active, work: entry.work, depth: entry.depth, variables: cells };
    states.push(state);
  }
  return { states, error };
}
