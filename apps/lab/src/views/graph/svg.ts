/** A graph as SVG elements. */
import { escape } from '../../dom';
import { CIRCLE, edgeCurve, isDirected, jumpCurve, middle, path, SQUARE, type Drawing, type Picture } from './drawing';

export class SvgPicture implements Picture {
  readonly element: SVGSVGElement;
  private readonly all: SVGGElement;
  private readonly edges: SVGPathElement[];
  private readonly weights: (SVGTextElement | null)[];
  private readonly nodes: SVGGElement[];
  private readonly arrows: SVGGElement;
  private readonly rubber: SVGPathElement;

  constructor(host: HTMLElement, private readonly drawing: Drawing) {
    const { network } = drawing;
    const edges = network.edges.map(({ weight }, i) => `<path class="edge" data-edge="${i}"${isDirected(drawing, i) ? ' marker-end="url(#edge-head)"' : ''}/>${weight ? `<text class="weight">${escape(weight)}</text>` : ''}`);
    const nodes = network.nodes.map(({ name, side }, id) => {
      const place = side === 'left' ? 'x="-22" text-anchor="end"' : side === 'right' ? 'x="22" text-anchor="start"' : 'y="25"';
      return `<g class="node" data-node="${id}"><path/><text>${escape(name)}</text><text class="value ${side}" ${place}></text></g>`;
    });
    const head = (id: string, color: string) => `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0l8 4-8 4z" fill="var(--${color})"/></marker>`;
    host.innerHTML = `<svg class="network picture" aria-hidden="true"><defs>${head('edge-head', 'muted')}${head('jump-head', 'write')}</defs>
      <g class="world"><g>${edges.join('')}</g><g class="arrows"></g><g>${nodes.join('')}</g><path class="rubber"/></g></svg>`;
    this.element = host.querySelector('svg')!;
    this.all = this.element.querySelector('.world')!;
    this.edges = [...this.element.querySelectorAll<SVGPathElement>('.edge')];
    this.weights = this.edges.map((edge) => (edge.nextElementSibling?.classList.contains('weight') ? edge.nextElementSibling as SVGTextElement : null));
    this.nodes = [...this.element.querySelectorAll<SVGGElement>('.node')];
    this.arrows = this.element.querySelector('.arrows')!;
    this.rubber = this.element.querySelector('.rubber')!;
  }

  place(): void {
    const { drawing } = this;
    this.edges.forEach((edge, i) => {
      const curve = edgeCurve(drawing, i);
      edge.setAttribute('d', path(curve, !drawing.arcs));
      const [x, y] = middle(curve);
      this.weights[i]?.setAttribute('transform', `translate(${x.toFixed(1)} ${(y + 4).toFixed(1)})`);
    });
    this.nodes.forEach((group, i) => group.setAttribute('transform', `translate(${drawing.spots[i].x.toFixed(1)} ${drawing.spots[i].y.toFixed(1)})`));
    this.placeArrows();
    const { rubber } = drawing;
    this.rubber.setAttribute('d', rubber ? `M${drawing.spots[rubber.from].x} ${drawing.spots[rubber.from].y}L${rubber.x} ${rubber.y}` : '');
  }

  draw(): void {
    const { looks, node, edge } = this.drawing;
    looks.nodes.forEach(({ fill, ink, value, changed, covers }, id) => {
      const group = this.nodes[id];
      const [shape, name, label] = group.children;
      shape.setAttribute('d', covers ? SQUARE : CIRCLE);
      shape.setAttribute('fill', fill || 'var(--idle)');
      name.setAttribute('class', ink);
      if (label.textContent !== value) label.textContent = value;
      group.setAttribute('class', `node${changed ? ' changed' : ''}${id === node ? ' selected' : ''}${covers ? ' covers' : ''}`);
    });
    looks.edges.forEach(({ chosen, picked, touched }, i) => {
      this.edges[i].setAttribute('class', `edge${chosen ? ' chosen' : ''}${picked ? ' picked' : ''}${touched ? ' touched' : ''}${i === edge ? ' selected' : ''}`);
    });
    this.arrows.innerHTML = looks.arrows.map(({ from, to }) => `<path class="jump" data-from="${from}" data-to="${to}" marker-end="url(#jump-head)"/>`).join('');
    this.placeArrows();
  }

  transform(): void {
    const { x, y, k } = this.drawing.zoom;
    this.all.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${k.toFixed(4)})`);
  }

  private placeArrows(): void {
    const { drawing } = this;
    drawing.looks.arrows.forEach(({ from, to }, i) => this.arrows.children[i]?.setAttribute('d', path(jumpCurve(drawing, from, to), false)));
  }
}
