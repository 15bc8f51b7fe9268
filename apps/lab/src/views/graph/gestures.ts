/** Pointers and keys on a graph: what is hit, and what is to be done. */
import { edgeCurve, RADIUS, type Drawing } from './drawing';

export interface Place { x: number; y: number }

export interface Actions {
  select(node: number, edge: number): void;
  dragNode(node: number, to: Place): void;
  dropNode(node: number): void;
  /** An edge is drawn from a node to a place, where a node may be (else -1). */
  drawEdge(from: number, to: Place): void;
  dropEdge(from: number, node: number, to: Place): void;
  addNode(at: Place): void;
  zoom(factor: number, x: number, y: number): void;
  pan(dx: number, dy: number): void;
  /** False where the key means nothing. */
  key(key: string): boolean;
  /** Whether a drag with the main button draws an edge. */
  drawing(): boolean;
}

const DOUBLE = 350;  // milliseconds between the taps
const FAR = 4;  // pixels that a click may move

/** The node at a place of the drawing; -1: none. The last one drawn lies on top. */
export function nodeAt({ spots }: Drawing, { x, y }: Place, reach = RADIUS + 2): number {
  for (let i = spots.length - 1; i >= 0; --i) if (Math.hypot(spots[i].x - x, spots[i].y - y) <= reach) return i;
  return -1;
}

/** The edge within `reach` of a place; -1: none. */
export function edgeAt(drawing: Drawing, { x, y }: Place, reach: number): number {
  let [best, least] = [-1, reach];
  drawing.network.edges.forEach((_, i) => {
    const { x1, y1, cx, cy, x2, y2 } = edgeCurve(drawing, i);
    for (let t = 0; t <= 8; ++t) {
      // Pieces of the curve, as straight lines.
      const at = (s: number) => [(1 - s) ** 2 * x1 + 2 * s * (1 - s) * cx + s * s * x2, (1 - s) ** 2 * y1 + 2 * s * (1 - s) * cy + s * s * y2];
      const [[ax, ay], [bx, by]] = [at(t / 9), at((t + 1) / 9)];
      const length = Math.max(1e-9, (bx - ax) ** 2 + (by - ay) ** 2);
      const share = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
      const distance = Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
      if (distance < least) [best, least] = [i, distance];
    }
  });
  return best;
}

export function listen(element: HTMLElement, drawing: () => Drawing, actions: Actions): void {
  const pointers = new Map<number, Place>();
  let held: { node: number; draws: boolean; moved: number } | null = null;
  let tap = { time: 0, x: 0, y: 0 };
  const inPage = (event: MouseEvent): Place => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const inDrawing = ({ x, y }: Place): Place => {
    const { zoom } = drawing();
    return { x: (x - zoom.x) / zoom.k, y: (y - zoom.y) / zoom.k };
  };

  element.addEventListener('contextmenu', (event) => event.preventDefault());
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = inPage(event);
    actions.zoom(Math.exp(-event.deltaY / 500), x, y);
  }, { passive: false });

  element.addEventListener('pointerdown', (event) => {
    if ((event.target as Element).closest('button, select, label')) return;
    const at = inPage(event);
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at);
    if (pointers.size > 1) {
      if (held?.draws) actions.dropEdge(held.node, held.node, inDrawing(at));
      held = null;
      return;
    }
    const place = inDrawing(at);
    const node = nodeAt(drawing(), place, RADIUS + (event.pointerType === 'touch' ? 10 : 2));
    held = { node, draws: node >= 0 && (event.button === 2 || actions.drawing()), moved: 0 };
    if (event.button === 2 && node < 0) return;
    actions.select(node, node >= 0 ? -1 : edgeAt(drawing(), place, 7 / drawing().zoom.k));
  });

  element.addEventListener('pointermove', (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const at = inPage(event);
    pointers.set(event.pointerId, at);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const before = [...pointers].map(([id, place]) => (id === event.pointerId ? last : place));
      const factor = Math.hypot(a.x - b.x, a.y - b.y) / Math.max(1, Math.hypot(before[0].x - before[1].x, before[0].y - before[1].y));
      actions.zoom(factor, (a.x + b.x) / 2, (a.y + b.y) / 2);
      return;
    }
    if (!held) return;
    held.moved += Math.hypot(at.x - last.x, at.y - last.y);
    if (held.moved < FAR) return;
    if (held.draws) actions.drawEdge(held.node, inDrawing(at));
    else if (held.node >= 0) actions.dragNode(held.node, inDrawing(at));
    else actions.pan(at.x - last.x, at.y - last.y);
  });

  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId) || !held) return;
    const at = inPage(event);
    const place = inDrawing(at);
    const { node, draws, moved } = held;
    held = null;
    if (draws) actions.dropEdge(node, moved < FAR ? node : nodeAt(drawing(), place), place);
    else if (node >= 0) actions.dropNode(node);
    else if (moved < FAR) {
      const twice = event.timeStamp - tap.time < DOUBLE && Math.hypot(at.x - tap.x, at.y - tap.y) < 24;
      tap = { time: twice ? 0 : event.timeStamp, ...at };
      if (event.button === 2 || twice) actions.addNode(place);
    }
  };
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', (event) => {
    if (held?.draws) actions.dropEdge(held.node, held.node, { x: 0, y: 0 });
    held = null;
    pointers.delete(event.pointerId);
  });

  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== element || !actions.key(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
