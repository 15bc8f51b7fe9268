import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../src/catalog';
import type { Client } from '../src/client';
import type { Engine } from '../src/engine';
import { figureProgram } from '../src/lessons/figure';
import { halves, lessonOf } from '../src/lessons/markdown';
import { judge, taskOf } from '../src/lessons/task';
import { engine } from './engine';

let lab: Engine;
beforeAll(async () => { lab = await engine(); });
const call = (async (name: string, ...args: unknown[]) => (lab as unknown as Record<string, (...given: unknown[]) => unknown>)[name](...args)) as Client['call'];

const FOLDER = resolve(process.cwd(), 'lessons');
const lessons = readdirSync(FOLDER).filter((name) => name.endsWith('.md')).sort().map((name) => ({ name, lesson: lessonOf(readFileSync(resolve(FOLDER, name), 'utf8')) }));
const tasks = lessons.flatMap(({ name, lesson }) => lesson.blocks.filter(({ kind }) => kind === 'task').map((block) => ({ name, block })));

it('there are eight, each with figures and one task', () => {
  expect(lessons.map(({ name }) => name[0])).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  expect(tasks).toHaveLength(8);
  for (const { name, lesson } of lessons) expect(lesson.blocks.filter(({ kind }) => kind === 'figure').length, name).toBeGreaterThan(0);
});

it('figures run: to their end, or to the conflict that they show', async () => {
  for (const { name, lesson } of lessons) {
    for (const block of lesson.blocks.filter(({ kind }) => kind === 'figure')) {
      const { program, input } = await figureProgram(block, lab.library(), (of) => problems(lab.library()).find(({ algorithms }) => algorithms.includes(of))?.name ?? '', call);
      expect(lab.run(program, input, 20_000, 500_000).summary.end.kind, name).toBe(name.startsWith('4') ? 'error' : 'done');
    }
  }
});

describe('tasks', () => {
  it('are not solved by what one begins with, and are by their reference', { timeout: 60_000 }, async () => {
    for (const { name, block } of tasks) {
      const task = taskOf(block, lab.library());
      expect(lab.check(task.start).mode, name).not.toBeNull();
      expect((await judge(task, task.start, call)).right, name).toBe(false);
      expect(await judge(task, task.reference, call), name).toMatchObject({ right: true });
    }
  });

  it('say what is wrong', async () => {
    const of = (number: string) => taskOf(tasks.find(({ name }) => name.startsWith(number))!.block, lab.library());
    const text = async (number: string, program: string) => (await judge(of(number), program, call)).text;
    const start = (number: string) => of(number).start;
    expect(await text('1', 'mode EREW\n?')).toMatch(/error in line 2: .*\.$/);
    expect(await text('1', 'mode EREW\ninout A[n] : int\nprocessors n\nif A[p] < 0 && p > 1 { A[p] = 0 }\n')).toMatch(/error in line 4: '&' means nothing here; write and/);
    expect(await text('1', start('1'))).toMatch(/A is 0, not \d/);
    expect(await text('1', start('1').replace('EREW', 'CREW'))).toMatch(/has mode CREW; the task wants EREW/);
    expect(await text('1', 'mode EREW\noutput x : int\nx = 1\n')).toMatch(/does not take the task's input|no output 'A'/);
    expect(await text('2', start('2'))).toMatch(/depth grows like n; the task wants log n/);
    expect(await text('4', start('4'))).toMatch(/step 2 fails: line 6: .*both read/);
    expect(await text('8', start('8').replace(/B\[p\] = A\[\(p \+ 1\) % n\]\nA\[p\] = B\[\(p \+ n - 1\) % n\]\n/, ''))).toMatch(/takes 2 kernels, more than 1/);
    expect(await text('3', 'mode EREW\ninput A[n] : int\noutput S[n] : int\nwhile true { S[0] = 1 }\n')).toMatch(/does not end|fails/);
  });

  it('name a reference', () => {
    expect(() => taskOf({ kind: 'task', name: 'nothing', options: {}, body: 'mode EREW' }, lab.library())).toThrow(/no program that is there: 'nothing'/);
  });
});

describe('the Markdown of lessons', () => {
  it('becomes HTML, and nothing else', () => {
    const site = ['https:', '', 'x.org', ''].join('/');
    const { title, html, blocks } = lessonOf(`# T <b>\n\nA *b* **c** \`<d>\` [e](${site}) [g](2-g.md) [f](javascript:alert)\ngoes on\n\n- one\n  more\n- two\n\n1. x\n\n| a | b |\n| --- | --- |\n| 1 | \`2\` |\n\n\`\`\`\n<x>\n\`\`\`\n\n\`\`\`figure scan view=flow title="a b"\nA = 1\n\`\`\`\n`);
    expect(title).toBe('T <b>');
    expect(html.split('\n')).toEqual([
      '<h2>T &lt;b&gt;</h2>',
      `<p>A <em>b</em> <strong>c</strong> <code>&lt;d&gt;</code> <a href="${site}">e</a> <a href="#lesson=2-g" data-lesson="2-g">g</a> f goes on</p>`,
      '<ul><li>one more</li><li>two</li></ul>', '<ol><li>x</li></ol>',
      '<table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>',
      '<pre tabindex="0"><code>&lt;x&gt;</code></pre>', '<div class="figure" data-block="0"></div>',
    ]);
    expect(blocks).toEqual([{ kind: 'figure', name: 'scan', options: { view: 'flow', title: 'a b' }, body: 'A = 1' }]);
  });

  it('takes no markup of its own', () => {
    expect(lessonOf('<script>x</script> <img src=x onerror=y>').html).toBe('<p>&lt;script&gt;x&lt;/script&gt; &lt;img src=x onerror=y&gt;</p>');
    expect(halves('a\n---\nb')).toEqual(['a\n', 'b']);
  });
});
