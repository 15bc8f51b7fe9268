/** What the page says about the current position: costs, the step, a conflict, the certificate. */
import type { Certificate } from './certificate';
import { byId, escape, plural } from './dom';
import { text, type Run } from './run';

export function showTotals(run: Run | null): void {
  const at = run?.position ?? 0;
  const entries: [string, number][] = run ? [['Steps', run.atFailure ? at - 1 : at], ['Work', run.work(at)], ['Depth', run.depth(at)]] : [];
  byId('totals').innerHTML = entries.map(([name, value]) => `<div><dt>${name}</dt><dd>${value.toLocaleString('en')}</dd></div>`).join('');
}

/** The step in words; without a run, where to look. `valid`: the program has no errors. */
export function showNow(run: Run | null, valid: boolean, program: string): void {
  const now = byId('now');
  if (!run) {
    now.textContent = valid ? 'The input has a fault, which is shown below it.' : 'The program has errors; they are shown in the source.';
    return;
  }
  now.innerHTML = inWords(run, program);
}

/** The current step in words, as HTML. */
export function inWords(run: Run, program: string): string {
  const at = run.position;
  if (at === 0) {
    const cut = run.summary.end.kind === 'limit' ? ' The run is longer; only its beginning is shown.' : '';
    return `Before the first step of ${run.end.toLocaleString('en')}.${cut}`;
  }
  const step = run.step(at);
  const source = program.split('\n')[step.line - 1]?.replace(/#.*/, '').trim() ?? '';
  const who = step.block === null ? 'one processor' : `${step.active.toLocaleString('en')} of ${plural(step.processors, 'processor')} active`;
  const changes = run.atFailure ? '' : `, ${plural(run.changeCount(at), 'change')}`;
  return `<b>Line ${step.line}</b> · ${step.test ? 'test of a condition' : 'assignment'} · ${who}${changes} · <code>${escape(source)}</code>`;
}

/** `own`: the program is the user's, and may solve another problem. */
export function showCertificate(certificate: Certificate | null, problem: string, own: boolean): void {
  const box = byId('certificate');
  box.hidden = !certificate;
  box.classList.toggle('fails', certificate?.holds === false);
  const verdict = certificate?.holds ? '✓ Right' : own ? `✗ Does not solve “${problem}”` : '✗ Wrong';
  box.innerHTML = certificate ? `<b>${verdict}.</b> ${escape(certificate.text)}` : '';
}

/** At a step that fails: what failed, and what one can do. */
export function showFailure(run: Run | null, back: () => void, changeMode: (mode: string) => void): void {
  const box = byId('message');
  const end = run?.atFailure ? run.summary.end : null;
  box.hidden = !end;
  box.replaceChildren();
  if (!run || end?.kind !== 'error') return;
  const { conflict } = end;
  const first = end.message.split('\n')[0].replace(/^[^:]*:(\d+):\d+: /, 'Line $1: ');
  box.innerHTML = `<p><b>${conflict ? 'Conflict' : 'Error'} in step ${end.step}.</b> ${escape(first)}.</p>`;
  if (conflict) {
    const v = run.summary.variables[conflict.variable];
    const columns = v.extents[1];
    const cell = v.extents.length === 0 ? '' : columns ? `[${Math.floor(conflict.cell / columns)}, ${conflict.cell % columns}]` : `[${conflict.cell}]`;
    const what = conflict.kind === 'read' ? `both read ${text(v.type, run.variables[conflict.variable][conflict.cell])}` : `write ${conflict.values[0]} and ${conflict.values[1]}`;
    const way = conflict.kind === 'twice' ? 'No mode allows one processor to write a cell twice in one step.'
      : conflict.needs ? `The weakest mode that allows this run is <b>${conflict.needs}</b>.` : '';
    box.innerHTML += `<p>Cell ${escape(v.name + cell)}; processors ${conflict.processors[0]} and ${conflict.processors[1]} ${what}. ${way}</p>`;
  }
  const button = (label: string, act: () => void) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = label;
    made.addEventListener('click', act);
    box.append(made);
  };
  button('Go back to before it', back);
  const needs = conflict?.needs;
  if (needs) button(`Change the mode to ${needs}`, () => changeMode(needs));
}
