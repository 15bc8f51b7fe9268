/** Indents a program by its braces, and leaves everything else as it is. */
export function formatted(program: string): string {
  let depth = 0;
  const lines = program.split('\n').map((line) => {
    const text = line.trim();
    const code = text.replace(/#.*/, '');
    // A line that begins with closing braces stands where they lead.
    const closing = /^[}\s]*/.exec(code)![0].replace(/[^}]/g, '').length;
    const indent = Math.max(0, depth - closing);
    depth = Math.max(0, depth + (code.match(/\{/g)?.length ?? 0) - (code.match(/\}/g)?.length ?? 0));
    return text === '' ? '' : '  '.repeat(indent) + text;
  });
  return `${lines.join('\n').trimEnd()}\n`;
}
