import { beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../src/catalog';
import { UserError, type Engine } from '../src/engine';
import { MODES, withMode } from '../src/modes';
import { Run } from '../src/run';
import { networkOf } from '../src/views/graph/network';
import { engine, generated } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });

const program = (name: string) => lab.library().find((candidate) => candidate.name === name)!.text;
const run = (text: string, input: string) => new Run(lab.run(text, input, 100_000, 4_000_000));
const CONFLICT = 'mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nif p > 0 { B[p] = A[p] + A[p - 1] }\n';

describe('programs', () => {
  it('all are in a problem, are free of mistakes, and run on what is generated', () => {
    const listed = problems(lab.library());
    expect(listed.some(({ name }) => name === 'Others')).toBe(false);
    for (const { name, text } of lab.library()) {
      expect(lab.check(text).diagnostics.filter(({ severity }) => severity === 'error'), name).toEqual([]);
      expect(run(text, generated(lab, name, 8)).summary.end.kind, name).toBe('done');
    }
  });

  it('step back to where they came from', () => {
    for (const { name, text } of lab.library()) {
      const forwards = run(text, generated(lab, name, 6));
      const states: string[] = [];
      const state = (at: Run) => JSON.stringify([at.variables.map(String), at.privates.map(String)]);
      for (let k = 0; k <= forwards.end; ++k) { forwards.seek(k); states.push(state(forwards)); }
      for (let k = forwards.end; k >= 0; --k) { forwards.seek(k); expect(state(forwards), `${name} step ${k}`).toBe(states[k]); }
      for (const k of [3, 1, forwards.end, 2, 0]) { forwards.seek(k); expect(state(forwards), `${name} step ${k}`).toBe(states[Math.min(k, forwards.end)]); }
    }
  });
});

describe('runs', () => {
  it('name who reads and writes which cell', () => {
    const scan = run(program('exclusive_scan'), '1 2 3 4');
    const [a, b] = ['A', 'B'].map((name) => scan.summary.variables.findIndex((v) => v.name === name));
    const uses = scan.accessesOf(1).map(({ write, variable, cell, processor }) => [write, variable, cell, processor]);
    expect(uses).toContainEqual([false, a, 2, 2]);
    expect(uses).toContainEqual([true, b >= 0 ? b : uses.find(([write]) => write)![1], 2, 2]);
  });

  it('end with the conflict, its processors, and the mode that allows it', () => {
    const failed = run(CONFLICT, '1 2 3');
    expect(failed.end).toBe(2);
    failed.seek(2);
    expect(failed.atFailure).toBe(true);
    const { end } = failed.summary;
    if (end.kind !== 'error') throw new Error('no error');
    expect(end).toMatchObject({ line: 5, step: 2, conflict: { kind: 'read', cell: 1, processors: [1, 2], needs: 'CREW' } });
    expect(failed.accessesOf(2).filter(({ write, cell }) => !write && cell === 1).map(({ processor }) => processor)).toEqual([1, 2]);
  });

  it('stop in each mode at what it forbids, and name the weakest that allows it', () => {
    const [EREW, CREW, COMMON, ARBITRARY, PRIORITY] = MODES;
    const rows: [string, Record<string, string>][] = [
      ['B[p] = A[0]', { [EREW]: CREW }],
      ['x = 7', { [EREW]: COMMON, [CREW]: COMMON }],
      ['x = A[p]', { [EREW]: ARBITRARY, [CREW]: ARBITRARY, [COMMON]: ARBITRARY }],
    ];
    expect(PRIORITY).toBe('CRCW priority');
    for (const [statement, needs] of rows) {
      for (const mode of MODES) {
        const { end } = run(`mode ${mode}\ninput A[n] : int\noutput B[n] : int\noutput x : int\nprocessors n\n${statement}\n`, 'A = 3 1 2').summary;
        expect(end.kind === 'error' ? end.conflict?.needs : undefined, `${statement} in ${mode}`).toBe(needs[mode]);
      }
    }
  });

  it('go on in a mode that allows it', () => {
    const text = withMode(CONFLICT, 'CREW');
    expect(text.split('\n')[0]).toBe('mode CREW');
    expect(run(text, '1 2 3').summary.end.kind).toBe('done');
  });

  it('stop at the limit', () => {
    const endless = run('mode EREW\noutput x : int\nwhile true { x = x + 1 }\n', '');
    expect(endless.summary.end.kind).toBe('limit');
    expect(endless.done).toBe(100_000);
  });

  it('say what is wrong with the input, and where', () => {
    const faulty = (input: string) => () => run(program('merge'), input);
    expect(faulty('A = 1 2\nB = 3 x')).toThrow(UserError);
    expect(faulty('A = 1 2\nB = 3 x')).toThrow(/Input:2: .*'x'/);
    expect(faulty('1 2')).toThrow(/Input:1: write NAME = values/);
    expect(faulty('C = 1')).toThrow(/no input 'C'/);
  });

  it('read Matrix Market below a name, and place its faults', () => {
    const matrix = 'graph =\n%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2';
    expect(networkOf(run(program('components'), matrix))?.edges).toHaveLength(2);
    expect(() => run(program('components'), matrix.replace('3 2', '3 9').replace('3 9 2', '3 3 2'))).toThrow(/Input:(3|5):/);
    expect(() => run(program('components'), `${matrix}x`)).toThrow(/Input:5: '2x' is not an integer/);
  });

  it('take reals, infinity, and matrices of several lines', () => {
    const product = run(program('matrix_product'), 'A =\n1 2\n3 4.5\nB =\n1 0\n0 -.5');
    product.seek(product.end);
    const c = product.summary.variables.findIndex((v) => v.name === 'C');
    const words = product.variables[c];
    expect([...new Float64Array(words.buffer, words.byteOffset, 4)]).toEqual([1, -1, 3, -2.25]);
  });
});

describe('modes', () => {
  it('each can be written into each program', () => {
    for (const mode of MODES) expect(lab.check(withMode(program('scan'), mode)).mode).toBe(mode);
    expect(withMode('output x : int\n', 'CREW')).toBe('mode CREW\noutput x : int\n');
    expect(withMode('mode EREW  # strict\n', 'CRCW priority')).toBe('mode CRCW priority  # strict\n');
  });
});

describe('graphs', () => {
  it('are found in every form that programs take', () => {
    for (const [name, nodes] of [['components', 12], ['components_matrix', 12], ['all_pairs_distances', 12], ['tree_depth', 12], ['matching', 12], ['list_ranking', 12], ['spanning_forest_matrix', 12]] as const) {
      expect(networkOf(run(program(name), generated(lab, name, 12)))?.nodes.length, name).toBe(nodes);
    }
    expect(networkOf(run(program('scan'), '1 2'))).toBeNull();
  });

  it('keep the names of the text', () => {
    const network = networkOf(run(program('components'), '10 20\n20 30'))!;
    expect(network.nodes.map(({ name }) => name)).toEqual(['10', '20', '30']);
    expect(network.edges).toHaveLength(2);
  });
});

describe('the meta-program', () => {
  it('is longer without optimisations', () => {
    const count = (without: string[]) => lab.explain(program('sort'), without).lines.filter(({ text }) => /for (each|all) p/.test(text)).length;
    expect(count(['all'])).toBeGreaterThan(count([]));
  });
});

it('runs at least five million processors a second', () => {
  const input = Array.from({ length: 1 << 15 }, (_, i) => (i * 7919) % 1000).join(' ');
  const { work, seconds } = lab.measure(program('sort'), input, 1e7);
  expect(work / seconds).toBeGreaterThan(5e6);
});
