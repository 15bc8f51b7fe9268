/** The source: an editor that shows mistakes while one types and the line of the current step. */
import { EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import { EditorView, Decoration, keymap, lineNumbers, highlightSpecialChars, drawSelection, type DecorationSet } from '@codemirror/view';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { pram } from './pram_language';
import type { Diagnostic } from './types';

interface Place { line: number; column: number; length: number; failed: boolean }
const setMark = StateEffect.define<Place | null>();
const setLinks = StateEffect.define<number[]>();

/** Lines that belong to what is under the pointer elsewhere. */
const linked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLinks)) continue;
      const lines = effect.value.filter((line) => line <= transaction.state.doc.lines);
      value = Decoration.set(lines.map((line) => Decoration.line({ class: 'linked-line' }).range(transaction.state.doc.line(line).from)));
    }
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      const mark = effect.value;
      if (!mark || mark.line > transaction.state.doc.lines) { value = Decoration.none; continue; }
      const line = transaction.state.doc.line(mark.line);
      const from = Math.min(line.from + mark.column - 1, line.to);
      const to = Math.min(from + mark.length, line.to);
      const ranges = [Decoration.line({ class: mark.failed ? 'failed-line' : 'current-line' }).range(line.from)];
      if (mark.failed && to > from) ranges.push(Decoration.mark({ class: 'failed-place' }).range(from, to));
      value = Decoration.set(ranges);
    }
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  // Without a colour, as it would hide a side of the focus ring.
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { cursor: 'pointer' },
  '.cm-gutter-lint': { width: '1.2em' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: 'none' },
  '.current-line': { backgroundColor: 'var(--current)', boxShadow: 'inset 3px 0 var(--accent)' },
  '.linked-line': { backgroundColor: 'var(--linked)' },
  '.failed-line': { backgroundColor: 'var(--failed-soft)', boxShadow: 'inset 3px 0 var(--failed)' },
  '.failed-place': { textDecoration: 'underline wavy var(--failed)', textUnderlineOffset: '3px' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px', maxWidth: '360px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-help': { padding: '4px 8px', fontSize: '12.5px', lineHeight: '1.45' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--failed)' },
});

/** Types over the selection. The browser would give the new text the old one's style inline, which the page's policy forbids and reports. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { data } = event;
  const { from, to, empty } = view.state.selection.main;
  if (event.inputType !== 'insertText' || data === null || empty || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, data, insert))) view.dispatch(insert());
  return true;
}

export class Editor {
  private readonly view: EditorView;
  private silent = false;
  private marked = '';

  private hovered = 0;

  /**
   * `changed` is called for every text that the user types, `lineChosen` for clicks on line numbers and Ctrl + Enter,
   * `lineHovered` for the line under the pointer (0: none).
   */
  constructor(host: HTMLElement, changed: () => void, lineChosen: (line: number) => void, lineHovered: (line: number) => void) {
    // The shadow root lets the editor's styles be constructed sheets, which a strict Content-Security-Policy allows.
    const root = host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':host{display:block;min-height:0}.holder{height:100%}');
    root.adoptedStyleSheets = [sheet];
    const holder = document.createElement('div');
    holder.className = 'holder';
    root.append(holder);
    const extensions: Extension[] = [
      lineNumbers({ domEventHandlers: { mousedown: (view, block) => { lineChosen(view.state.doc.lineAt(block.from).number); return true; } } }),
      highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
      autocompletion(), lintGutter(), marked, linked, pram(), theme, EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'Source', spellcheck: 'false', tabindex: '0' }),
      keymap.of([{ key: 'Mod-Enter', run: () => { lineChosen(this.cursorLine); return true; } }]),
      EditorView.domEventHandlers({
        mousemove: (event, view) => { const at = view.posAtCoords(event); this.hover(at === null ? 0 : view.state.doc.lineAt(at).number, lineHovered); },
        mouseleave: () => this.hover(0, lineHovered),
        beforeinput: typeOver,
      }),
      keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap]),
      EditorView.updateListener.of((update) => { if (update.docChanged && !this.silent) changed(); }),
    ];
    this.view = new EditorView({ state: EditorState.create({ doc: '', extensions }), parent: holder, root });
  }

  get cursorLine(): number { return this.view.state.doc.lineAt(this.view.state.selection.main.head).number; }

  private hover(line: number, report: (line: number) => void): void {
    if (line === this.hovered) return;
    this.hovered = line;
    report(line);
  }

  link(lines: number[]): void { this.view.dispatch({ effects: setLinks.of(lines) }); }

  get text(): string { return this.view.state.doc.toString(); }

  /** Replaces the text without calling `changed`. */
  set text(text: string) {
    this.silent = true;
    this.marked = '-';
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, scrollIntoView: false });
    this.silent = false;
    this.view.scrollDOM.scrollTop = 0;
  }

  showMistakes(diagnostics: Diagnostic[]): void {
    const doc = this.view.state.doc;
    const marks = diagnostics.filter((d) => d.line <= doc.lines + 1).map((d): Mark => {
      const line = doc.line(Math.min(d.line, doc.lines));
      const from = Math.min(line.from + d.column - 1, line.to);
      return { from, to: Math.min(from + d.length, line.to), severity: d.severity, message: d.advice ? `${d.message}\n${d.advice}` : d.message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Marks the line of a step, and shows it. */
  mark(place: { line: number; column: number; length: number } | null, failed = false): void {
    const signature = place ? [place.line, place.column, place.length, failed, this.view.state.doc.lines].join() : '';
    if (signature === this.marked) return;
    this.marked = signature;
    this.view.dispatch({ effects: setMark.of(place ? { ...place, failed } : null) });
    if (!place || place.line > this.view.state.doc.lines) return;
    const block = this.view.lineBlockAt(this.view.state.doc.line(place.line).from);
    const { scrollTop, clientHeight } = this.view.scrollDOM;
    if (block.top < scrollTop || block.bottom > scrollTop + clientHeight) {
      this.view.scrollDOM.scrollTop = block.top - clientHeight / 2;
    }
  }
}
