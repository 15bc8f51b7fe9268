/** A graph as the text of a file. */
import { escape } from '../../dom';
import { CIRCLE, colours, edgeCurve, isDirected, jumpCurve, middle, path, SQUARE, type Drawing } from './drawing';

/** The picture as a file of its own, with the page's colours. */
export function svgFile(drawing: Drawing): { text: string; width: number; height: number } {
  const { network, spots, looks } = drawing;
  const colour = colours();
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
  const [least, most] = [(list: number[]) => list.reduce((a, b) => Math.min(a, b), Infinity), (list: number[]) => list.reduce((a, b) => Math.max(a, b), -Infinity)];
  const pad = drawing.arcs ? 90 : 50;
  const [left, top] = [least(xs) - pad, least(ys) - pad];
  const [width, height] = [Math.ceil(most(xs) - left + pad), Math.ceil(most(ys) - top + pad)];
  const edges = network.edges.map(({ weight }, i) => {
    const { chosen, picked, touched } = looks.edges[i];
    const curve = edgeCurve(drawing, i);
    const [stroke, size] = chosen ? [colour('chosen'), 4] : picked ? [colour('changed'), 3] : touched ? [colour('read'), 3] : [colour('muted'), 1.5];
    const [x, y] = middle(curve);
    return `<path d="${path(curve, !drawing.arcs)}" fill="none" stroke="${stroke}" stroke-width="${size}"${isDirected(drawing, i) ? ' marker-end="url(#head)"' : ''}/>${
      weight ? `<text x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}" font-size="11" text-anchor="middle" fill="${colour('text')}" stroke="${colour('surface')}" stroke-width="3" paint-order="stroke">${escape(weight)}</text>` : ''}`;
  });
  const arrows = looks.arrows.map(({ from, to }) => `<path d="${path(jumpCurve(drawing, from, to), false)}" fill="none" stroke="${colour('write')}" stroke-width="1.6" marker-end="url(#head)"/>`);
  const nodes = network.nodes.map(({ name, side }, id) => {
    const { fill, ink, value, covers } = looks.nodes[id];
    const [x, anchor, y] = side === 'left' ? [-22, 'end', 4] : side === 'right' ? [22, 'start', 4] : [0, 'middle', 29];
    return `<g transform="translate(${spots[id].x.toFixed(1)} ${spots[id].y.toFixed(1)})"><path d="${covers ? SQUARE : CIRCLE}" fill="${fill || colour('idle')}" stroke="${colour('text')}" stroke-width="${covers ? 3 : 1.4}"/>`
      + `<text text-anchor="middle" y="4" font-weight="600" fill="${ink === 'dark' ? '#10151d' : ink === 'light' ? '#fff' : colour('text')}">${escape(name)}</text>`
      + `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="11" font-weight="600" fill="${colour('text')}">${escape(value)}</text></g>`;
  });
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left.toFixed(1)} ${top.toFixed(1)} ${width} ${height}" font-family="monospace" font-size="12">`
    + `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0l8 4-8 4z" fill="${colour('muted')}"/></marker></defs>`
    + `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${width}" height="${height}" fill="${colour('surface')}"/>${edges.join('')}${arrows.join('')}${nodes.join('')}</svg>\n`;
  return { text, width, height };
}

/** The picture for LaTeX. */
export function tikz({ network, spots, looks, arcs }: Drawing): string {
  const plain = (value: string) => value.replace('−∞', '$-\\infty$').replace('∞', '$\\infty$').replace(/^-(?=\d)/, '$-$').replaceAll('_', '\\_');
  const nodes = network.nodes.map(({ name, side }, id) => {
    const { value, covers } = looks.nodes[id];
    const where = side === 'left' ? 'left' : side === 'right' ? 'right' : 'below';
    const label = value === '' ? '' : `, label=${where}:{\\scriptsize ${plain(value)}}`;
    return `  \\node[vertex${covers ? ', cover' : ''}${label}] (v${id}) at (${(spots[id].x / 50).toFixed(2)}, ${(-spots[id].y / 50).toFixed(2)}) {${plain(name)}};`;
  });
  const edges = network.edges.map(({ from, to, weight, both }, i) => {
    const styles = [network.directed && !both ? '->' : '', looks.edges[i].chosen ? 'chosen' : '', arcs ? 'bend left=40' : ''].filter((style) => style !== '').join(', ');
    return `  \\draw[${styles}] (v${from}) to${weight ? ` node[fill=white, inner sep=1pt] {\\scriptsize ${plain(weight)}}` : ''} (v${to});`;
  });
  const arrows = looks.arrows.map(({ from, to }) => `  \\draw[->, jump] (v${from}) to[bend right=30] (v${to});`);
  return `\\begin{tikzpicture}[vertex/.style={circle, draw, minimum size=6mm, inner sep=0pt}, cover/.style={rectangle, very thick},\n  chosen/.style={very thick, red}, jump/.style={orange}]\n${[...nodes, ...edges, ...arrows].join('\n')}\n\\end{tikzpicture}\n`;
}
