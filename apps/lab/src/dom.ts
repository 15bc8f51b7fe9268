/** Small tools for HTML and SVG. */

export const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const options = (select: HTMLSelectElement, entries: [value: string, label: string][], chosen?: string): void => {
  select.replaceChildren(...entries.map(([value, label]) => new Option(label, value)));
  if (chosen !== undefined) select.value = chosen;
};

export const plural = (n: number, word: string): string => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

/** Saves a file on the user's machine. */
export function download(name: string, type: string, content: string | Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
