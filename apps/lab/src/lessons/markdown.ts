/** The Markdown of lessons as HTML: headings, paragraphs, lists, tables, code. Blocks of figures and tasks stay as places. */
import { escape } from '../dom';

/** A fenced block "```figure NAME key=value" with what stands in it. */
export interface Block { kind: 'figure' | 'task'; name: string; options: Record<string, string>; body: string }
export interface Lesson { title: string; html: string; blocks: Block[] }

/** Other lessons are opened here. */
function link(label: string, address: string): string {
  const lesson = /^([\w./-]+)\.md$/.exec(address)?.[1];
  if (lesson) return `<a href="#lesson=${lesson}" data-lesson="${lesson}">${label}</a>`;
  return /^(?!https?:)[a-z]+:/i.test(address) ? label : `<a href="${address}">${label}</a>`;
}

/** Emphasis, code and links within a line. Addresses other than of pages are dropped. */
function inline(text: string): string {
  return text.split(/(`[^`]+`)/).map((part) => {
    if (part.startsWith('`') && part.length > 1) return `<code>${escape(part.slice(1, -1))}</code>`;
    return escape(part)
      .replace(/\[([^\]]+)\]\(((?:https?:\/\/|[\w./#-])[^)\s]*)\)/g, (_, label: string, address: string) => link(label, address))
      .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>').replace(/\*([^*]+)\*/g, '<em>$1</em>');
  }).join('');
}

/** The words after "```figure": a name without "=", and options whose values may be quoted. */
function optionsOf(info: string): { name: string; options: Record<string, string> } {
  const options: Record<string, string> = {};
  let name = '';
  for (const [, key, quoted, plain, word] of info.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))|(\S+)/g)) {
    if (key) options[key] = quoted ?? plain;
    else name ||= word;
  }
  return { name, options };
}

const table = (rows: string[]): string => {
  const cells = (row: string, tag: string) => row.trim().replace(/^\||\|$/g, '').split('|').map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join('');
  return `<table><thead><tr>${cells(rows[0], 'th scope="col"').replaceAll('</th scope="col">', '</th>')}</tr></thead><tbody>${rows.slice(2).map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}</tbody></table>`;
};

export function lessonOf(source: string): Lesson {
  const blocks: Block[] = [];
  let title = '';
  const html: string[] = [];
  const lines = source.replaceAll('\r', '').split('\n');
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const take = (test: (line: string) => boolean): string[] => {
      const from = at;
      while (at < lines.length && test(lines[at])) ++at;
      return lines.slice(from, at);
    };
    const fence = /^```(\w*)\s*(.*)$/.exec(line);
    if (fence) {
      ++at;
      const body = take((inner) => !inner.startsWith('```')).join('\n');
      ++at;
      if (fence[1] === 'figure' || fence[1] === 'task') {
        html.push(`<div class="${fence[1]}" data-block="${blocks.length}"></div>`);
        blocks.push({ kind: fence[1], ...optionsOf(fence[2]), body });
      } else {
        html.push(`<pre tabindex="0"><code>${escape(body)}</code></pre>`);
      }
    } else if (/^#{1,4} /.test(line)) {
      const level = line.indexOf(' ');
      const text = line.slice(level + 1);
      if (level === 1 && title === '') title = text;
      html.push(`<h${level + 1}>${inline(text)}</h${level + 1}>`);
      ++at;
    } else if (/^\s*[-*] /.test(line) || /^\s*\d+\. /.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items = take((inner) => /^\s*([-*]|\d+\.) /.test(inner) || /^\s+\S/.test(inner)).join('\n').split(/\n(?=\s*(?:[-*]|\d+\.) )/);
      html.push(`<${ordered ? 'ol' : 'ul'}>${items.map((item) => `<li>${inline(item.replace(/^\s*([-*]|\d+\.) /, '').replace(/\n\s*/g, ' '))}</li>`).join('')}</${ordered ? 'ol' : 'ul'}>`);
    } else if (line.startsWith('|')) {
      html.push(table(take((inner) => inner.startsWith('|'))));
    } else if (line.trim() === '') {
      ++at;
    } else {
      html.push(`<p>${inline(take((inner) => inner.trim() !== '' && !/^(```|#{1,4} |\||\s*[-*] |\s*\d+\. )/.test(inner)).join(' '))}</p>`);
    }
  }
  return { title: title || 'Lesson', html: html.join('\n'), blocks };
}

/** What stands before and after a line "---". */
export function halves(body: string): [string, string] {
  const [first, ...rest] = body.split(/^---$/m);
  return [first.trim() + '\n', rest.join('---').trim()];
}
