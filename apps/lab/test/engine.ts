/** The engine in Node.js. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import createLab from '@wasm/lab.js';
import { problems } from '../src/catalog';
import { Engine } from '../src/engine';
import { arraysText, graphText, type ArrayKind } from '../src/inputs';

export const engine = async (): Promise<Engine> =>
  new Engine(await createLab({ wasmBinary: readFileSync(resolve(process.cwd(), '../../build/lab-wasm/lab.wasm')) }));

/** What the page generates for a program. */
export function generated(lab: Engine, name: string, size: number, seed = 1, kind: ArrayKind = 'shuffle'): string {
  const library = lab.library();
  const { inputs } = lab.check(library.find((candidate) => candidate.name === name)!.text);
  if (!inputs.some(({ graph, extents }) => graph && extents.length > 0)) return arraysText(inputs, kind, size, seed);
  const problem = problems(library).find(({ algorithms }) => algorithms.includes(name))!;
  const form = 'graph' in problem.input ? problem.input.graph : 'random';
  const names = inputs.map((input) => input.name);
  return graphText(lab.graph(form, size, seed), inputs, names.includes('weight') || names.includes('W'), names.includes('W'), seed);
}
