/** The page: what is chosen, the run that it gives, and where in it one is. */
import { problems, title, type Problem } from './catalog';
import { Client } from './client';
import { certificateOf, type Certificate } from './certificate';
import { byId, download, escape, options, plural } from './dom';
import { Editor } from './editor';
import { UserError } from './engine';
import { graphEdit, type GraphEdit } from './graph_text';
import { generatedInput } from './inputs';
import { COMBINING, MODES, withMode } from './modes';
import { number, Run, text } from './run';
import { fromFragment, toFragment } from './share';
import { showCertificate, showFailure, showNow, showTotals } from './status';
import type { Check, LibraryProgram } from './types';
import { Kernels } from './kernels';
import { LessonPage } from './lessons/page';
import { Machine } from './machine';
import { Player } from './player';
import { about, isServed, runOn, type About } from './server';
import { ArrayView } from './views/array/view';
import { CodeView } from './views/code/view';
import { CostView } from './views/cost';
import { GraphView } from './views/graph/view';
import type { Scene, View } from './views/view';

const LIMITS = { steps: 100_000, changes: 4_000_000 };
const MOST_MEASURED = 5_000_000;
const OWN = 'own';
const ARRAY_KINDS: [string, string][] = [['random', 'Random 0–10'], ['constant', 'Constant'], ['shuffle', 'Shuffle'], ['ascending', 'Ascending'], ['descending', 'Descending']];
const GRAPH_KINDS: [string, string][] = [['random', 'Random graph'], ['grid', 'Grid'], ['tree', 'Tree'], ['bipartite', 'Bipartite'], ['kronecker', 'Kronecker']];

export interface Snapshot {
  position: number; end: number; failed: boolean; work: number; depth: number; line: number; active: number;
  variables: Record<string, string[]>;
}

export class App {
  private readonly client = new Client();
  readonly editor = new Editor(byId('editor'), () => this.edited(), (line) => this.player.runTo(line), (line) => this.visible?.linked?.(line));
  private readonly views: Record<string, View> = { array: new ArrayView(), graph: new GraphView(), meta: new CodeView(true), kernel: new CodeView(false), cost: new CostView() };
  private view = 'array';
  private visible: View | null = null;
  private library: LibraryProgram[] = [];
  private problems: Problem[] = [];
  private check: Check = { diagnostics: [], mode: null, inputs: [] };
  private run: Run | null = null;
  private certificate: Certificate | null = null;
  private readonly without = new Set<string>();
  private seed = 1;
  private readonly player = new Player(() => this.show(), () => this.kernelSteps(), () => this.editor.cursorLine);
  private readonly lessons = new LessonPage(this.client, {
    library: () => this.library,
    problemOf: (name) => this.problems.find(({ algorithms }) => algorithms.includes(name))?.name ?? '',
    program: () => this.editor.text,
    load: (program, input, problem) => this.load(program, input, problem),
    setInput: (input) => { byId<HTMLTextAreaElement>('input').value = input; void this.refresh(true); },
  });
  private readonly machine = new Machine(() => this.runOnMachine());
  private readonly kernelsOf = new Map<string, Promise<Kernels>>();
  private typing = 0;
  private asked = 0;

  async start(): Promise<void> {
    this.theme(matchMedia('(prefers-color-scheme: dark)').matches);
    const served = isServed() ? about() : null;
    this.library = await this.client.call('library');
    this.problems = problems(this.library);
    this.listen();
    if (!(await this.open(location.hash)) && !(await this.openServed((await served)?.program))) await this.chooseProblem(1, 'scan');
    document.documentElement.dataset.ready = 'true';
    await this.machine.find();
  }

  /** Opens the program that `lanewise lab` was given; false if it was given none. */
  private async openServed(program: About['program'] | undefined): Promise<boolean> {
    if (!program) return false;
    const at = this.problems.findIndex(({ algorithms }) => algorithms.includes(program.name));
    if (at >= 0) await this.chooseProblem(at, program.name);
    else await this.openProgram(program.text);
    return true;
  }

  /** Opens a lesson or a shared program; false if the fragment has none. */
  private async open(fragment: string): Promise<boolean> {
    if (await this.lessons.fromFragment(fragment)) {
      if (!this.run) await this.chooseProblem(1, 'scan');
      return true;
    }
    const shared = await fromFragment(fragment);
    if (!shared) return false;
    const at = this.problems.find(({ algorithms }) => algorithms.includes(shared.algorithm ?? ''));
    await this.load(shared.program, shared.input, at?.name ?? '');
    return true;
  }

  /** Shows a program that is not chosen from the lists. */
  private async load(program: string, input: string, problem: string): Promise<void> {
    const at = this.problems.findIndex(({ name }) => name === problem);
    const known = this.library.find(({ text }) => text === program);
    this.lists(Math.max(at, 0), known?.name ?? OWN);
    this.editor.text = program;
    byId<HTMLTextAreaElement>('input').value = input;
    await this.checkText();
    this.kinds();
    await this.refresh(true);
  }

  // What is chosen.

  private lists(problem: number, algorithm: string): void {
    options(byId('problem'), this.problems.map(({ name }, i) => [String(i), name]), String(problem));
    const algorithms = this.problems[problem].algorithms.map((name): [string, string] => [name, title(name)]);
    options(byId('algorithm'), [...algorithms, [OWN, 'Your own']], algorithm);
  }

  private async chooseProblem(problem: number, algorithm = this.problems[problem].algorithms[0]): Promise<void> {
    this.lists(problem, algorithm);
    byId<HTMLInputElement>('size').value = String(this.problems[problem].input.size);
    await this.chooseAlgorithm(algorithm);
  }

  private async chooseAlgorithm(name: string): Promise<void> {
    const program = this.library.find((candidate) => candidate.name === name);
    this.seed = 1;
    const before = JSON.stringify(this.check.inputs);
    if (program) this.editor.text = program.text;
    await this.checkText();
    this.kinds();
    if (program || JSON.stringify(this.check.inputs) !== before) await this.generate();
    else await this.refresh(true);
  }

  private get problem(): Problem { return this.problems[Number(byId<HTMLSelectElement>('problem').value)]; }
  private get isOwn(): boolean { return byId<HTMLSelectElement>('algorithm').value === OWN; }
  /** Whether the program is meant to solve the problem: its results have the names of one that does. */
  private get isSolution(): boolean {
    const results = (text: string) => [...text.matchAll(/^\s*(?:output|inout)\s+(\w+)/gm)].map(([, name]) => name).sort().join();
    const own = results(this.editor.text);
    return !this.isOwn || this.library.some(({ name, text }) => this.problem.algorithms.includes(name) && results(text) === own);
  }
  private get isGraph(): boolean { return this.check.inputs.some(({ graph, extents }) => graph && extents.length > 0); }

  /** What can be generated for the program's inputs. */
  private kinds(): void {
    const { input } = this.problem;
    const select = byId<HTMLSelectElement>('kind');
    const preferred = this.isGraph ? ('graph' in input ? input.graph : 'random') : 'array' in input ? input.array : 'random';
    options(select, this.isGraph ? GRAPH_KINDS : ARRAY_KINDS, preferred);
  }

  private async generate(): Promise<void> {
    const size = Math.max(1, Math.min(1_000_000, Number(byId<HTMLInputElement>('size').value) || 1));
    byId<HTMLTextAreaElement>('input').value = await this.generated(size);
    await this.refresh(true);
  }

  /** An input of the chosen kind. */
  private async generated(size: number): Promise<string> {
    return generatedInput(this.check.inputs, byId<HTMLSelectElement>('kind').value, size, this.seed, (...args) => this.client.call(...args));
  }

  // Program and input to a run.

  private async checkText(): Promise<void> {
    this.check = await this.client.call('check', this.editor.text);
    this.editor.showMistakes(this.check.diagnostics);
    const errors = this.check.diagnostics.filter(({ severity }) => severity === 'error').length;
    const warnings = this.check.diagnostics.length - errors;
    byId('sourcestate').textContent = errors > 0 ? plural(errors, 'error') : warnings > 0 ? plural(warnings, 'warning') : '';
    const mode = this.check.mode;
    byId<HTMLButtonElement>('format').disabled = mode === null;
    const combining = mode?.startsWith('CRCW combining') ? mode : COMBINING[0];
    options(byId('mode'), [...MODES, combining].map((name) => [name, name]), mode ?? undefined);
  }

  /** Checks and runs again; the run starts at the beginning. */
  private async refresh(checked = false): Promise<void> {
    this.player.stop();
    const asked = ++this.asked;
    if (!checked) await this.checkText();
    const fault = byId('inputfault');
    fault.textContent = '';
    let run: Run | null = null;
    if (this.check.mode !== null) {
      const patience = window.setTimeout(() => this.offerStop(), 500);
      try {
        run = new Run(await this.client.call('run', this.editor.text, byId<HTMLTextAreaElement>('input').value, LIMITS.steps, LIMITS.changes));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        this.showFault(fault, error.message);
      } finally {
        clearTimeout(patience);
      }
    }
    if (asked !== this.asked) return;
    this.run = run;
    this.certificate = null;
    this.kernelsOf.clear();
    this.player.set(run);
    this.showView();
    this.show();
    this.runOnMachine();
  }

  private runOnMachine(): void {
    void this.machine.show({ program: this.editor.text, input: byId<HTMLTextAreaElement>('input').value, without: [...this.without] }, this.run);
  }

  /** Seconds on an executor of the machine, or here. */
  private async time(program: string, executor: string, active: 'auto' | 'bitset' | 'list', input: string, signal: AbortSignal): Promise<number> {
    if (executor === 'browser') return (await this.client.call('measure', program, input, MOST_MEASURED)).seconds;
    return (await runOn({ program, input, executor, active, without: [...this.without], measure: true }, signal)).seconds;
  }

  /** A fault of the input; its line is a button that selects it. */
  private showFault(host: HTMLElement, message: string): void {
    const [, line, rest] = /^Input:(\d+):\s*([^]*)$/.exec(message) ?? [null, '', message];
    host.textContent = rest;
    if (line === '') return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `Line ${line}`;
    button.addEventListener('click', () => {
      const input = byId<HTMLTextAreaElement>('input');
      const lines = input.value.split('\n');
      const from = lines.slice(0, Number(line) - 1).reduce((sum, text) => sum + text.length + 1, 0);
      input.focus();
      input.setSelectionRange(from, from + (lines[Number(line) - 1] ?? '').length);
    });
    host.prepend(button, ' ');
  }

  private offerStop(): void {
    const stop = document.createElement('button');
    stop.type = 'button';
    stop.textContent = 'Stop';
    stop.addEventListener('click', () => this.client.stop());
    byId('now').replaceChildren('Running … ', stop);
  }

  private edited(): void {
    byId<HTMLSelectElement>('algorithm').value = OWN;
    this.later();
  }

  /** Runs again when the typing pauses. */
  private later(): void {
    clearTimeout(this.typing);
    this.typing = window.setTimeout(() => { this.typing = 0; void this.refresh(); }, 250);
  }

  // Where one is.

  private show(): void {
    const { run } = this;
    const at = run?.position ?? 0;
    // First, as the editor looks at the layout, which all else changes.
    this.editor.mark(!run || at === 0 ? null : run.step(at), run?.atFailure ?? false);
    this.player.show();
    this.certificate = run && run.position === run.done && this.isSolution ? certificateOf(this.problem.name, run) : null;
    showCertificate(this.certificate, this.problem.name, this.isOwn);
    showTotals(run);
    showFailure(run, () => this.player.seek(this.player.end - 1), (mode) => void this.chooseMode(mode));
    showNow(run, this.check.mode !== null, this.editor.text);
    this.visible?.draw();
  }

  private async format(): Promise<void> {
    const before = this.editor.text;
    await this.checkText();
    if (this.check.mode === null) return;
    // It waits for a run to end; Stop ends it, too.
    const formatted = await this.client.call('format', before).catch(() => null);
    if (formatted === null || formatted.text === before || before !== this.editor.text) return;
    this.editor.text = formatted.text;
    await this.refresh();
  }

  private async chooseMode(mode: string): Promise<void> {
    this.editor.text = withMode(this.editor.text, mode);
    await this.refresh();
  }

  // Views.

  private showView(): void {
    const host = byId('view');
    this.visible?.hide?.();
    this.visible = null;
    host.setAttribute('aria-labelledby', `tab-${this.view}`);
    if (!this.run) { host.innerHTML = this.mistakes(); return; }
    const program = this.editor.text;
    const scene: Scene = {
      run: this.run, source: program.split('\n'), without: this.without,
      certificate: () => this.certificate,
      edit: (change) => this.editGraph(change),
      link: (lines) => this.editor.link(lines),
      runTo: (line) => this.player.runTo(line),
      kernelSteps: (without) => this.kernelSteps(without),
      passesChanged: () => { void this.player.chooseUnit(); this.runOnMachine(); },
      explain: () => this.client.call('explain', program, [...this.without]),
      kernels: async (language) => (await this.client.call('kernels', program, [...this.without], language)).text,
      executors: () => this.machine.all,
      generated: (n) => this.generated(n),
      time: (executor, active, input, signal) => this.time(program, executor, active, input, signal),
      measure: async (n) => this.client.call('measure', program, await this.generated(n), MOST_MEASURED),
    };
    this.visible = this.views[this.view];
    this.visible.show(host, scene);
  }

  /** The run by kernels, once for each choice of optimisations. */
  private kernelSteps(without = [...this.without]): Promise<Kernels> {
    const key = without.join(' ');
    const known = this.kernelsOf.get(key) ?? this.client.call('kernelSteps', this.editor.text, byId<HTMLTextAreaElement>('input').value, without, LIMITS.steps)
      .then(({ arrays, ...counts }) => new Kernels(counts, arrays.ends));
    this.kernelsOf.set(key, known);
    return known;
  }

  private editGraph(change: (graph: GraphEdit) => string | null): string | null {
    const input = byId<HTMLTextAreaElement>('input');
    const graph = graphEdit(input.value, this.check.inputs.map(({ name }) => name));
    if (!graph) return 'Only an Input that is written as a graph can be edited in the picture.';
    const problem = change(graph);
    if (problem !== null) return problem;
    input.value = graph.toString();
    void this.refresh(true);
    return null;
  }

  /** What is wrong with the program, with the lines that have it. */
  private mistakes(): string {
    const source = this.editor.text.split('\n');
    return this.check.diagnostics.filter(({ severity }) => severity === 'error').map((d) => `<div class="mistake">
      <p><b>Line ${d.line}.</b> ${escape(d.message)}${d.advice ? `<br><span class="muted">${escape(d.advice)}</span>` : ''}</p>
      <pre>${escape(source[d.line - 1] ?? '')}\n${' '.repeat(d.column - 1)}${'^'.repeat(Math.max(1, d.length))}</pre></div>`).join('');
  }

  private chooseView(tab: HTMLElement): void {
    document.querySelectorAll<HTMLElement>('[role=tab]').forEach((other) => {
      other.setAttribute('aria-selected', String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    });
    this.view = tab.id.slice(4);
    this.showView();
  }

  /** Resolves when the page shows what was chosen last. */
  async idle(): Promise<void> {
    // A choice asks several things, one after the other.
    for (let quiet = 0; quiet < 3; ++quiet) {
      await this.client.idle();
      while (this.typing !== 0 || this.machine.busy) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The memory at the current step, reals as numbers and all else as text. */
  snapshot(): Snapshot | null {
    const { run } = this;
    if (!run) return null;
    const at = run.position;
    const step = at === 0 ? null : run.step(at);
    return {
      position: at, end: run.end, failed: run.atFailure, work: run.work(at), depth: run.depth(at),
      line: step?.line ?? 0, active: step?.active ?? 0,
      variables: Object.fromEntries(run.summary.variables.map((v, i) =>
        [v.name, Array.from(run.variables[i], (word) => (v.type === 'real' ? String(number(v.type, word)) : text(v.type, word)))])),
    };
  }

  // Around the page.

  private theme(dark: boolean): void { document.documentElement.dataset.theme = dark ? 'dark' : 'light'; }

  private async share(): Promise<void> {
    const algorithm = byId<HTMLSelectElement>('algorithm').value;
    const fragment = await toFragment({ program: this.editor.text, input: byId<HTMLTextAreaElement>('input').value, algorithm });
    history.replaceState(null, '', fragment);
    const button = byId('share');
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'In the address';  // where the clipboard is not allowed
    }
    setTimeout(() => { button.textContent = 'Share'; }, 1500);
  }

  private save(): void {
    const name = byId<HTMLSelectElement>('algorithm').value;
    download(`${name === OWN ? 'program' : name}.pram`, 'text/plain', this.editor.text);
  }

  private async openFile(file: File): Promise<void> {
    if (file.name.endsWith('.md')) { this.lessons.show(file.name, await file.text()); return; }
    const text = await file.text();
    if (!file.name.endsWith('.pram') && !/^\s*mode\s/m.test(text)) {
      byId<HTMLTextAreaElement>('input').value = text;
      await this.refresh(true);
      return;
    }
    this.lessons.leave();
    await this.openProgram(text);
  }

  private async openProgram(text: string): Promise<void> {
    if (byId<HTMLSelectElement>('problem').value === '') this.lists(0, OWN);
    byId<HTMLSelectElement>('algorithm').value = OWN;
    this.editor.text = text;
    await this.checkText();
    this.kinds();
    await this.generate();
  }

  private listen(): void {
    const on = (id: string, event: string, act: () => void) => byId(id).addEventListener(event, act);
    on('problem', 'change', () => { this.lessons.leave(); void this.chooseProblem(Number(byId<HTMLSelectElement>('problem').value)); });
    on('algorithm', 'change', () => { this.lessons.leave(); void this.chooseAlgorithm(byId<HTMLSelectElement>('algorithm').value); });
    on('mode', 'change', () => void this.chooseMode(byId<HTMLSelectElement>('mode').value));
    on('generate', 'click', () => { ++this.seed; void this.generate(); });
    on('input', 'input', () => this.later());
    on('share', 'click', () => void this.share());
    on('format', 'click', () => void this.format());
    on('save', 'click', () => this.save());
    on('open', 'click', () => byId('file').click());
    on('file', 'change', () => {
      const input = byId<HTMLInputElement>('file');
      if (input.files?.[0]) void this.openFile(input.files[0]);
      input.value = '';
    });
    // Before the editor, which would insert the file's text.
    document.addEventListener('dragover', (event) => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); }, true);
    document.addEventListener('drop', (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      void this.openFile(file);
    }, true);
    on('theme', 'click', () => this.theme(document.documentElement.dataset.theme !== 'dark'));
    window.addEventListener('hashchange', () => void this.open(location.hash));
    const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
    tabs.forEach((tab, i) => {
      tab.addEventListener('click', () => this.chooseView(tab));
      tab.addEventListener('keydown', (event) => {
        const to = event.key === 'ArrowRight' ? i + 1 : event.key === 'ArrowLeft' ? i - 1 : -1;
        if (to < 0 || to >= tabs.length) return;
        event.stopPropagation();
        tabs[to].focus();
        this.chooseView(tabs[to]);
      });
    });
  }
}
