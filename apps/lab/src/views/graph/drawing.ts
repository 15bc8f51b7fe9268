/** What a picture of a graph shows, and its geometry. */
import type { Spot } from './layout';
import type { Looks } from './looks';
import type { Network } from './network';

export interface Zoom { x: number; y: number; k: number }

/** All that a picture shows. */
export interface Drawing {
  network: Network;
  spots: Spot[];
  looks: Looks;
  /** Edges as arcs, where nodes stand in a line. */
  arcs: boolean;
  node: number;
  edge: number;
  zoom: Zoom;
  /** An edge that is being drawn: from a node to a place. */
  rubber: { from: number; x: number; y: number } | null;
}

/** Of a picture; `place` when nodes moved, `draw` when looks changed. */
export interface Picture { readonly element: SVGSVGElement | HTMLCanvasElement; place(): void; draw(): void; transform(): void }

export const RADIUS = 15;
export const CIRCLE = `M${-RADIUS} 0a${RADIUS} ${RADIUS} 0 1 1 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 1 ${-2 * RADIUS} 0z`;
export const SQUARE = 'M-13.5 -13.5h27v27h-27z';

export interface Curve { x1: number; y1: number; cx: number; cy: number; x2: number; y2: number }

/** From border to border of two nodes, bent to the left by a share of its length. */
export function curveOf(a: Spot, b: Spot, bend: number, gap = RADIUS): Curve {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const [cx, cy] = [(a.x + b.x) / 2 + bend * dy, (a.y + b.y) / 2 - bend * dx];
  const towards = (from: Spot) => {
    const length = Math.max(1e-6, Math.hypot(cx - from.x, cy - from.y));
    const share = Math.min(gap / length, 0.9);
    return [from.x + (cx - from.x) * share, from.y + (cy - from.y) * share];
  };
  const [[x1, y1], [x2, y2]] = [towards(a), towards(b)];
  return { x1, y1, cx, cy, x2, y2 };
}
export const path = ({ x1, y1, cx, cy, x2, y2 }: Curve, straight: boolean) =>
  (straight ? `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}` : `M${x1.toFixed(1)} ${y1.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`);

/** Neighbours in a line are joined straight. */
const bendOf = ({ arcs, spots }: Drawing, from: number, to: number): number => (arcs && Math.abs(spots[from].x - spots[to].x) > 70 ? 0.4 : 0);
/** Pointers in a line go above it, where no value stands. */
export const jumpCurve = ({ spots, arcs }: Drawing, from: number, to: number): Curve => curveOf(spots[from], spots[to], arcs ? (spots[to].x > spots[from].x ? 0.5 : -0.5) : -0.28);

export const edgeCurve = (drawing: Drawing, i: number): Curve => {
  const { from, to } = drawing.network.edges[i];
  return curveOf(drawing.spots[from], drawing.spots[to], bendOf(drawing, from, to));
};
export const middle = ({ x1, y1, cx, cy, x2, y2 }: Curve): [number, number] => [x1 / 4 + cx / 2 + x2 / 4, y1 / 4 + cy / 2 + y2 / 4];
export const isDirected = ({ network }: Drawing, i: number) => network.directed && !network.edges[i].both;

/** Colours of the page by the names of their variables. */
export function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}
