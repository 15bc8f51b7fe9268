/** The grammar of .pram for the editor: colours, and words to complete. docs/use/pram.md has the whole grammar. */
import { StreamLanguage, HighlightStyle, syntaxHighlighting, LanguageSupport } from '@codemirror/language';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { declarations, HELP, helpOf } from './pram_help';

const KEYWORDS = ['mode', 'input', 'output', 'inout', 'shared', 'const', 'private', 'function', 'processors', 'if', 'else', 'while', 'for', 'to', 'down', 'step', 'and', 'or', 'not', 'combining'];
const TYPES = ['int', 'int32', 'real', 'bool'];
const FUNCTIONS = ['min', 'max', 'abs', 'log2', 'xor', 'bit_and', 'bit_or', 'shift_left', 'shift_right', 'sqrt', 'floor', 'ceil'];
const ATOMS = ['true', 'false', 'infinity'];
const MODE_WORDS = ['EREW', 'CREW', 'CRCW', 'common', 'arbitrary', 'priority'];

const kinds = new Map<string, string>();
KEYWORDS.forEach((word) => kinds.set(word, 'keyword'));
TYPES.forEach((word) => kinds.set(word, 'typeName'));
FUNCTIONS.forEach((word) => kinds.set(word, 'function'));
[...ATOMS, ...MODE_WORDS].forEach((word) => kinds.set(word, 'atom'));

const WORDS = [
  ...KEYWORDS.map((label) => ({ label, type: 'keyword', info: HELP[label] })),
  ...TYPES.map((label) => ({ label, type: 'type', info: HELP[label] })),
  ...FUNCTIONS.map((label) => ({ label, type: 'function', info: HELP[label] })),
  ...[...ATOMS, ...MODE_WORDS].map((label) => ({ label, type: 'constant', info: HELP[label] })),
];

/** Words of the language, and names of the program. */
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const names = [...declarations(context.state.doc.toString())].map(([label, detail]) => ({ label, type: 'variable', info: detail, boost: 1 }));
  return { from: word?.from ?? context.pos, options: [...names, ...WORDS], validFor: /^\w*$/ };
}

/** Help about the word under the pointer. */
const help = hoverTooltip((view, at) => {
  const line = view.state.doc.lineAt(at);
  if (line.text.slice(0, at - line.from).includes('#')) return null;
  const before = /[A-Za-z_]\w*$/.exec(line.text.slice(0, at - line.from))?.[0] ?? '';
  const after = /^\w*/.exec(line.text.slice(at - line.from))![0];
  const text = helpOf(view.state.doc.toString(), before + after);
  if (!text) return null;
  return {
    pos: at - before.length, end: at + after.length, above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-help';
      dom.textContent = text;
      return { dom };
    },
  };
});

const language = StreamLanguage.define<null>({
  name: 'pram',
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return 'comment';
    if (stream.match(/^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i)) return 'number';
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) return kinds.get(word[0]) ?? 'variableName';
    if (stream.match(/^[-+*/%=<>!?:]+/)) return 'operator';
    stream.next();
    return null;
  },
  tokenTable: { function: tags.function(tags.variableName) },
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['(', '[', '{'] },
    indentOnInput: /^\s*\}$/,
    autocomplete: complete,
  },
});

const style = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: tags.typeName, color: 'var(--code-type)' },
  { tag: tags.function(tags.variableName), color: 'var(--code-type)' },
  { tag: [tags.number, tags.atom], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
]);

export const pram = (): LanguageSupport => new LanguageSupport(language, [syntaxHighlighting(style), help]);
