/** A graph on a canvas: of many nodes, elements would take longer than a frame. */
import { colours, edgeCurve, jumpCurve, RADIUS, type Drawing, type Picture } from './drawing';

const SELECTED = 4;

export class CanvasPicture implements Picture {
  readonly element: HTMLCanvasElement;
  private frame = 0;

  constructor(host: HTMLElement, private readonly drawing: Drawing) {
    this.element = document.createElement('canvas');
    this.element.className = 'network';
    host.replaceChildren(this.element);
  }
  place(): void { this.later(); }
  draw(): void { this.later(); }
  transform(): void { this.later(); }

  private later(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  private paint(): void {
    const { element, drawing } = this;
    const { network, spots, looks, zoom } = drawing;
    const ratio = window.devicePixelRatio;
    const [width, height] = [element.clientWidth, element.clientHeight];
    if (element.width !== Math.round(width * ratio) || element.height !== Math.round(height * ratio)) {
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
    }
    const context = element.getContext('2d')!;
    const colour = colours();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio * zoom.k, 0, 0, ratio * zoom.k, ratio * zoom.x, ratio * zoom.y);
    const many = network.nodes.length > 1500;
    const lines = (width: number, stroke: string, alpha: number, of: (i: number) => boolean) => {
      context.beginPath();
      for (let i = 0; i < network.edges.length; ++i) {
        if (!of(i)) continue;
        const { from, to } = network.edges[i];
        if (!drawing.arcs) {
          context.moveTo(spots[from].x, spots[from].y);
          context.lineTo(spots[to].x, spots[to].y);
          continue;
        }
        const { x1, y1, cx, cy, x2, y2 } = edgeCurve(drawing, i);
        context.moveTo(x1, y1);
        context.quadraticCurveTo(cx, cy, x2, y2);
      }
      context.lineWidth = width;
      context.strokeStyle = stroke;
      context.globalAlpha = alpha;
      context.stroke();
      context.globalAlpha = 1;
    };
    lines(many ? 1 : 1.5, colour('muted'), 0.5, (i) => !looks.edges[i].chosen);
    lines(3, colour('changed'), 1, (i) => looks.edges[i].picked);
    lines(3, colour('read'), 1, (i) => looks.edges[i].touched);
    lines(4, colour('chosen'), 1, (i) => looks.edges[i].chosen);
    if (drawing.edge >= 0) lines(5, colour('accent'), 1, (i) => i === drawing.edge);
    context.beginPath();
    for (const { from, to } of looks.arrows) {
      const { x1, y1, cx, cy, x2, y2 } = jumpCurve(drawing, from, to);
      context.moveTo(x1, y1);
      context.quadraticCurveTo(cx, cy, x2, y2);
    }
    context.lineWidth = 1.5;
    context.strokeStyle = colour('write');
    context.stroke();
    // One path for each colour: a thousand fills would take longer than a frame.
    const byFill = new Map<string, number[]>();
    looks.nodes.forEach(({ fill }, id) => {
      const ids = byFill.get(fill);
      if (ids) ids.push(id);
      else byFill.set(fill, [id]);
    });
    for (const [fill, ids] of byFill) {
      context.beginPath();
      for (const id of ids) {
        const { x, y } = spots[id];
        context.moveTo(x + RADIUS, y);
        context.arc(x, y, RADIUS, 0, 2 * Math.PI);
      }
      context.fillStyle = fill || colour('idle');
      context.fill();
      context.lineWidth = 1.2;
      context.strokeStyle = colour('text');
      context.stroke();
    }
    const ring = (id: number, stroke: string) => {
      context.beginPath();
      context.arc(spots[id].x, spots[id].y, RADIUS + 1, 0, 2 * Math.PI);
      context.lineWidth = SELECTED;
      context.strokeStyle = stroke;
      context.stroke();
    };
    looks.nodes.forEach(({ changed }, id) => { if (changed) ring(id, colour('changed')); });
    if (drawing.node >= 0) ring(drawing.node, colour('accent'));
    if (zoom.k > 0.45) {
      context.font = '600 12px monospace';
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      looks.nodes.forEach(({ ink, value }, id) => {
        const { x, y } = spots[id];
        if (x * zoom.k + zoom.x < -50 || x * zoom.k + zoom.x > width + 50 || y * zoom.k + zoom.y < -50 || y * zoom.k + zoom.y > height + 50) return;
        context.fillStyle = ink === 'dark' ? '#10151d' : ink === 'light' ? '#fff' : colour('text');
        context.fillText(network.nodes[id].name, x, y);
        context.fillStyle = colour('text');
        context.fillText(value, x, y + 25);
      });
    }
    if (drawing.rubber) {
      context.beginPath();
      context.moveTo(spots[drawing.rubber.from].x, spots[drawing.rubber.from].y);
      context.lineTo(drawing.rubber.x, drawing.rubber.y);
      context.lineWidth = 3;
      context.strokeStyle = colour('accent');
      context.stroke();
    }
  }
}
