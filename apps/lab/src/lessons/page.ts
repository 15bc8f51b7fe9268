/** The lessons: a list, a page of text with live figures, and the task that one works on in the lab. */
import type { Client } from '../client';
import { byId, escape } from '../dom';
import { generatedInput } from '../inputs';
import type { LibraryProgram } from '../types';
import { Figure, figureProgram } from './figure';
import { lessonOf, type Lesson } from './markdown';
import { conditions, judge, taskOf, type Task } from './task';

/** By file name, in the order of teaching. */
export const LESSONS = Object.entries(import.meta.glob<string>('../../lessons/*.md', { query: '?raw', import: 'default', eager: true }))
  .map(([path, source]) => ({ name: path.replace(/^.*\/(.*)\.md$/, '$1'), source })).sort((a, b) => a.name.localeCompare(b.name));

export interface Lab {
  library(): LibraryProgram[];
  problemOf(name: string): string;
  program(): string;
  /** Shows a program with its input. */
  load(program: string, input: string, problem: string): Promise<void>;
  setInput(input: string): void;
}

export class LessonPage {
  private lesson: { name: string; lesson: Lesson } | null = null;
  private task: Task | null = null;

  constructor(private readonly client: Client, private readonly lab: Lab) {
    byId('lessons').addEventListener('click', () => this.close() || this.list());
    byId('check').addEventListener('click', () => void this.check());
    byId('tolesson').addEventListener('click', () => this.read());
    byId('lesson').addEventListener('click', (event) => {
      const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-lesson]');
      if (!link) return;
      event.preventDefault();
      this.open(link.dataset.lesson!);
    });
  }

  private readonly call: Client['call'] = (name, ...args) => this.client.call(name, ...args);

  /** Opens what a fragment names: a lesson of ours, or a file beside the page. False: it names none. */
  async fromFragment(fragment: string): Promise<boolean> {
    if (fragment === '#lessons') { this.list(); return true; }
    const name = /^#lesson=([\w./-]+)$/.exec(fragment)?.[1];
    if (!name) return false;
    if (LESSONS.some((lesson) => lesson.name === name)) { this.open(name); return true; }
    const response = await fetch(new URL(name, location.href));
    if (response.ok && name.endsWith('.md')) this.show(name, await response.text());
    else this.page(`<h2>Lesson</h2><p>There is no lesson at ${escape(name)}.</p>`);
    return true;
  }

  private open(name: string): void {
    const found = LESSONS.find((lesson) => lesson.name === name);
    if (!found) { location.hash = `#lesson=${name}.md`; return; }
    history.replaceState(null, '', `#lesson=${name}`);
    this.show(name, found.source);
  }

  /** Back to the lab; false if it is there already. */
  close(): boolean {
    const was = document.body.classList.contains('reading');
    document.body.classList.remove('reading');
    byId('lesson').hidden = true;
    byId('lessons').setAttribute('aria-pressed', 'false');
    return was;
  }

  /** The task is over: another program was chosen. */
  leave(): void {
    this.task = null;
    this.taskBar();
    this.close();
  }

  private page(html: string): void {
    document.body.classList.add('reading');
    const page = byId('lesson');
    page.hidden = false;
    page.innerHTML = `<div class="text">${html}</div>`;
    page.scrollTop = 0;
    byId('lessons').setAttribute('aria-pressed', 'true');
  }

  private list(): void {
    const done = solved();
    const items = LESSONS.map(({ name, source }) => `<li><a href="#lesson=${name}" data-lesson="${name}">${escape(lessonOf(source).title)}</a>${done.has(name) ? ' <span class="done">✓ solved</span>' : ''}</li>`);
    this.page(`<h2>Lessons</h2><p>Each has live figures and a task that is checked. Open a Markdown file of your own with <b>Open</b>.</p><ol class="toc">${items.join('')}</ol>`);
  }

  /** Shows a lesson; `name` says whose task was solved. */
  show(name: string, source: string): void {
    this.lesson = { name, lesson: lessonOf(source) };
    this.task = null;
    this.taskBar();
    this.read();
  }

  private read(): void {
    if (!this.lesson) return;
    const { name, lesson } = this.lesson;
    const at = LESSONS.findIndex((other) => other.name === name);
    const link = (to: number, label: string) => (LESSONS[to] ? `<a href="#lesson=${LESSONS[to].name}" data-lesson="${LESSONS[to].name}">${label}: ${escape(lessonOf(LESSONS[to].source).title)}</a>` : '');
    this.page(`${lesson.html}<nav aria-label="Lessons">${at > 0 ? link(at - 1, 'Before') : '<span></span>'}${at >= 0 ? link(at + 1, 'Next') : ''}</nav>`);
    let figures = 0;
    byId('lesson').querySelectorAll<HTMLElement>('[data-block]').forEach((place) => {
      const block = lesson.blocks[Number(place.dataset.block)];
      const fill = block.kind === 'task' ? this.fillTask(place, Number(place.dataset.block)) : this.fillFigure(place, ++figures, Number(place.dataset.block));
      fill.catch((error: Error) => { place.innerHTML = `<p class="fault">${escape(error.message)}</p>`; });
    });
  }

  private async fillFigure(place: HTMLElement, number: number, index: number): Promise<void> {
    const block = this.lesson!.lesson.blocks[index];
    const of = await figureProgram(block, this.lab.library(), this.lab.problemOf, this.call);
    await Figure.make(place, number, block, of, this.call, () => { this.leave(); void this.lab.load(of.program, of.input, of.problem); });
  }

  private async fillTask(place: HTMLElement, index: number): Promise<void> {
    const task = taskOf(this.lesson!.lesson.blocks[index], this.lab.library());
    const list = conditions(task);
    place.innerHTML = `<h3>Task: ${escape(task.title)}</h3>${list.length > 0 ? `<p>Your program ${escape(list.join(', '))}.</p>` : ''}
      <button type="button" class="primary">Work on it</button>${solved().has(this.lesson!.name) ? ' <span class="done">✓ solved</span>' : ''}`;
    const { inputs } = await this.call('check', task.reference);
    place.querySelector('button')!.addEventListener('click', () => {
      void (async () => {
        const input = await generatedInput(inputs, task.inputs, 8, 2, this.call);
        this.close();
        this.task = task;
        this.taskBar();
        await this.lab.load(task.start, input, '');
      })();
    });
  }

  /** The line above the lab while one works on a task. */
  private taskBar(): void {
    byId('task').hidden = !this.task;
    document.body.classList.toggle('working', this.task !== null);
    byId('tasktitle').textContent = this.task ? `Task: ${this.task.title}` : '';
    this.verdict('');
  }

  private verdict(html: string, right?: boolean): void {
    const box = byId('verdict');
    box.innerHTML = html;
    box.className = right === undefined ? '' : right ? 'right' : 'wrong';
  }

  private async check(): Promise<void> {
    if (!this.task) return;
    this.verdict('Checking …');
    const verdict = await judge(this.task, this.lab.program(), this.call);
    this.verdict(`<b>${verdict.right ? '✓' : '✗'}</b> ${escape(verdict.text)} `, verdict.right);
    if (verdict.right && this.lesson) solve(this.lesson.name);
    const { input } = verdict;
    if (input === undefined) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Use this input';
    button.addEventListener('click', () => this.lab.setInput(input));
    byId('verdict').append(button);
  }
}

// What was solved is remembered on this machine, where the browser allows it.
const KEY = 'lanewise.lab.solved';
function solved(): Set<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[]);
  } catch {
    return new Set();
  }
}
function solve(name: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...solved().add(name)]));
  } catch { /* a private window keeps nothing */ }
}
