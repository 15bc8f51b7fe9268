/**
 * The graph of the input: coloured and labelled by the program's arrays, in one of several layouts. Edits of the picture
 * change the text of the Input, and with it the run.
 */
import { download, escape } from '../../dom';
import type { Scene, View } from '../view';
import { CanvasPicture } from './canvas';
import type { Drawing, Picture } from './drawing';
import { svgFile, tikz } from './files';
import { listen, type Place } from './gestures';
import { Forces, LAYOUTS, placed, type LayoutName, type Spot } from './layout';
import { arrowArrays, edgeArrays, firstShown, looksOf, nodeArrays, type Shown } from './looks';
import { networkOf, type Network } from './network';
import { SvgPicture } from './svg';

const MOST_NODES = 10_000;
/** Of more, elements would take longer than a frame. */
const MOST_ELEMENTS = 250;
const MOST_LISTED = 200;
const NONE = -1;

export class GraphView implements View {
  private host!: HTMLElement;
  private scene!: Scene;
  private drawing: Drawing | null = null;
  private picture!: Picture;
  private forces: Forces | null = null;
  private shown!: Shown;
  private layout: LayoutName = 'force';
  private program = '';
  private frozen = false;
  private draws = false;
  /** Where an edge begins that is made by keys. */
  private edgeFrom = NONE;
  /** Where nodes stand that the next network has, by side and name. */
  private known = new Map<string, Place>();
  private size = '';
  private readonly resized = new ResizeObserver(() => this.resize());

  show(host: HTMLElement, scene: Scene): void {
    const focused = this.host?.querySelector('.graph') === document.activeElement && document.activeElement !== null;
    const selected = this.drawing && this.drawing.node >= 0 ? this.key(this.drawing.network, this.drawing.node) : '';
    this.hide();
    this.host = host;
    this.scene = scene;
    this.edgeFrom = NONE;
    const network = networkOf(scene.run);
    if (!network || network.nodes.length === 0 || network.nodes.length > MOST_NODES) {
      this.drawing = null;
      host.innerHTML = `<p class="empty">${network && network.nodes.length > 0 ? 'More than 10,000 nodes: too many to draw.'
        : 'The inputs of this program do not describe a graph. Choose Distances, Matching, Components, Spanning tree, or Lists and trees.'}</p>`;
      return;
    }
    const program = JSON.stringify(scene.run.summary.variables.map((v) => [v.name, v.extents.length]));
    const same = program === this.program;
    if (!same) {
      this.program = program;
      this.shown = firstShown(scene.run, network);
      this.layout = network.nodes.some(({ side }) => side !== 'all') ? 'sides' : network.pointers ? (scene.run.summary.variables.some(({ name }) => name === 'parent') ? 'tree' : 'line') : 'force';
      this.frozen = false;
      this.known.clear();
    }
    this.shown.from = Math.min(this.shown.from, network.nodes.length - 1);
    this.drawing = { network, spots: this.spots(network), looks: { nodes: [], edges: [], arrows: [] }, arcs: this.layout === 'line', node: NONE, edge: NONE, zoom: this.drawing && same ? this.drawing.zoom : { x: 0, y: 0, k: 0 }, rubber: null };
    this.fill();
    // An edit keeps what was selected, and the focus.
    if (same && selected !== '') this.drawing.node = network.nodes.findIndex((_, i) => this.key(network, i) === selected);
    this.greyOut();
    if (focused) this.stage.focus({ preventScroll: true });
    this.draw();
    this.picture.place();
    if (this.drawing.zoom.k === 0) this.fit();
    this.size = `${this.stage.clientWidth} ${this.stage.clientHeight}`;
    this.picture.transform();
    if (network.nodes.length > MOST_ELEMENTS && this.layout === 'force') this.forces?.wake(0.6);
    this.resized.observe(this.stage);
  }

  hide(): void {
    this.forces?.stop();
    this.resized.disconnect();
  }

  private key({ nodes }: Network, i: number): string { return `${nodes[i].side} ${nodes[i].name}`; }

  /** Positions of the layout; nodes that were there stay where they were. */
  private spots(network: Network): Spot[] {
    const key = (i: number) => this.key(network, i);
    const fresh = placed(network, this.layout, 0);
    const old = fresh.map((_, i) => this.known.get(key(i)));
    const kept = old.filter((spot) => spot !== undefined).length;
    const keeps = kept > 0 && kept >= fresh.length / 2 && (this.layout === 'force' || kept === fresh.length);
    if (keeps) fresh.forEach((spot, i) => Object.assign(spot, old[i] ?? this.beside(network, i, old)));
    this.forces = this.layout === 'force' ? new Forces(fresh, network, () => this.moved()) : null;
    if (this.forces) {
      this.forces.frozen = this.frozen;
      if (!keeps) this.forces.settle(1, fresh.length > MOST_ELEMENTS ? 150 : 400);
      else if (!this.frozen && kept < fresh.length) this.forces.settle(0.1, 50);
    }
    this.known = new Map(fresh.map((spot, i) => [key(i), spot]));
    return fresh;
  }

  /** A place for a new node: beside one of its neighbours. */
  private beside(network: Network, node: number, old: (Place | undefined)[]): Place {
    const edge = network.edges.find(({ from, to }) => (from === node && old[to]) || (to === node && old[from]));
    const other = edge && old[edge.from === node ? edge.to : edge.from];
    return other ? { x: other.x + 40, y: other.y + 40 } : { x: 60, y: 60 };
  }

  private get stage(): HTMLElement { return this.host.querySelector<HTMLElement>('.graph')!; }

  /** The controls and the picture, empty. */
  private fill(): void {
    const { host } = this;
    const { run } = this.scene;
    const { network } = this.drawing!;
    const name = (i: number) => run.summary.variables[i].name;
    const list = (label: string, which: string, entries: [string, string][], chosen: string) =>
      `<label>${label} <select data-which="${which}" aria-label="${label}">${entries.map(([value, text]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${escape(text)}</option>`).join('')}</select></label>`;
    const arrays = (label: string, which: keyof Shown, from: number[], none = false) => (from.length === 0 ? ''
      : list(label, which, [...(none ? [[String(NONE), 'none'] as [string, string]] : []), ...from.map((i): [string, string] => [String(i), name(i)])], String(this.shown[which])));
    const square = this.shown.all >= 0 && run.summary.variables[this.shown.all].extents.length === 2;
    const controls = [
      arrays('Left nodes', 'left', nodeArrays(run, network, 'left')), arrays('Right nodes', 'right', nodeArrays(run, network, 'right')),
      arrays('Nodes', 'all', nodeArrays(run, network, 'all')),
      square && network.nodes.length <= MOST_LISTED ? list('From', 'from', network.nodes.map((node, i) => [String(i), node.name]), String(this.shown.from)) : '',
      arrays('Edges', 'edges', edgeArrays(run, network)), arrays('Pointers', 'arrows', arrowArrays(run, network), true),
      list('Layout', 'layout', LAYOUTS, this.layout),
    ].filter((control) => control !== '');
    host.innerHTML = `<div class="graphview"><div class="options">${controls.join('')}
      <span class="acts"><button type="button" data-act="freeze" aria-pressed="${this.frozen}" title="Space, with the focus on the graph">Freeze</button><button type="button" data-act="fit" title="0, with the focus on the graph">Fit</button>
      <button type="button" data-act="draws" aria-pressed="${this.draws}" title="Drag from node to node. The right mouse button always does">Draw edges</button>
      <button type="button" data-act="delete" disabled title="Delete">Delete</button></span></div>
      <div class="graph" tabindex="0" role="application" aria-roledescription="graph editor" aria-label="Graph of ${network.nodes.length} nodes and ${network.edges.length} edges. N selects the next node, A adds one, E begins and ends an edge, Delete removes what is selected, Space freezes, T saves TikZ"></div>
      <div class="options below"><span class="hint" role="status">Right click or double tap: a node. Right drag: an edge. Wheel or pinch: zoom.</span>
        <span class="grow"></span><span class="files">Save as <button type="button" data-act="svg">SVG</button><button type="button" data-act="png">PNG</button><button type="button" data-act="tikz" title="T, with the focus on the graph">TikZ</button></span></div></div>`;
    host.querySelectorAll('select').forEach((select) => select.addEventListener('change', () => this.choose(select.dataset.which!, select.value)));
    host.querySelectorAll<HTMLElement>('[data-act]').forEach((button) => button.addEventListener('click', () => this.act(button.dataset.act!)));
    this.picture = network.nodes.length > MOST_ELEMENTS ? new CanvasPicture(this.stage, this.drawing!) : new SvgPicture(this.stage, this.drawing!);
    this.listen();
  }

  draw(): void {
    if (!this.drawing) return;
    const { run, certificate } = this.scene;
    this.drawing.looks = looksOf(run, this.drawing.network, this.shown, certificate());
    this.picture.draw();
  }

  private moved(): void {
    if (this.host.contains(this.picture.element)) this.picture.place();
    else this.hide();
  }

  private choose(which: string, value: string): void {
    if (which === 'layout') {
      this.layout = value as LayoutName;
      this.known.clear();
      this.drawing!.zoom.k = 0;
      this.show(this.host, this.scene);
      return;
    }
    this.shown[which as keyof Shown] = Number(value);
    if (which === 'all') this.show(this.host, this.scene);
    else this.draw();
  }

  /** Fits again where the place for the picture is another; observers also report the first size. */
  private resize(): void {
    const size = `${this.stage.clientWidth} ${this.stage.clientHeight}`;
    if (size === this.size) return;
    this.size = size;
    this.fit();
  }

  private fit(): void {
    if (!this.drawing) return;
    const { clientWidth: width, clientHeight: height } = this.stage;
    const { spots, arcs, zoom } = this.drawing;
    const [x0, x1, y0, y1] = spots.reduce(([a, b, c, d], { x, y }) => [Math.min(a, x), Math.max(b, x), Math.min(c, y), Math.max(d, y)], [Infinity, -Infinity, Infinity, -Infinity]);
    const reach = arcs ? 0.25 * (x1 - x0) : 0;
    zoom.k = Math.max(0.02, Math.min(1.6, width / (x1 - x0 + 110), height / (y1 - y0 + reach + 96)));
    zoom.x = width / 2 - (zoom.k * (x0 + x1)) / 2;
    zoom.y = height / 2 - (zoom.k * (y0 + y1 - reach)) / 2;
    this.picture.transform();
  }

  private listen(): void {
    const drawing = this.drawing!;
    listen(this.stage, () => drawing, {
      select: (node, edge) => this.select(node, edge),
      dragNode: (node, { x, y }) => {
        const spot = drawing.spots[node];
        Object.assign(spot, { x, y, fx: x, fy: y });
        if (this.forces && !this.frozen) this.forces.wake(0.2, 0.2);
        this.picture.place();
      },
      dropNode: (node) => {
        Object.assign(drawing.spots[node], { fx: null, fy: null });
        this.forces?.wake(0, 0);
      },
      drawEdge: (from, { x, y }) => { drawing.rubber = { from, x, y }; this.picture.place(); },
      dropEdge: (from, node, to) => {
        drawing.rubber = null;
        this.picture.place();
        if (node !== from) this.addEdge(from, node, to);
      },
      addNode: (at) => this.addNode(at),
      zoom: (factor, x, y) => this.zoom(factor, x, y),
      pan: (dx, dy) => { drawing.zoom.x += dx; drawing.zoom.y += dy; this.picture.transform(); },
      drawing: () => this.draws,
      key: (key) => {
        const acts: Record<string, string> = { ' ': 'freeze', Delete: 'delete', Backspace: 'delete', t: 'tikz', T: 'tikz', 0: 'fit', '+': 'in', '=': 'in', '-': 'out', n: 'next', N: 'previous', a: 'add', e: 'edge' };
        if (key in acts) this.act(acts[key]);
        return key in acts;
      },
    });
  }

  private zoom(factor: number, x: number, y: number): void {
    const { zoom } = this.drawing!;
    const k = Math.max(0.02, Math.min(8, zoom.k * factor));
    zoom.x = x - ((x - zoom.x) * k) / zoom.k;
    zoom.y = y - ((y - zoom.y) * k) / zoom.k;
    zoom.k = k;
    this.picture.transform();
  }

  private greyOut(): void {
    const { node, edge } = this.drawing!;
    this.host.querySelector<HTMLButtonElement>('[data-act=delete]')!.disabled = node < 0 && edge < 0;
  }

  /** The node after the selected one, or before it. */
  private walk(direction: number): void {
    const { network, node, looks } = this.drawing!;
    const next = node < 0 ? 0 : (node + direction + network.nodes.length) % network.nodes.length;
    this.select(next, NONE);
    this.say(`Node ${network.nodes[next].name}${looks.nodes[next].value === '' ? '' : `, value ${looks.nodes[next].value}`}.`);
  }

  /** Begins an edge at the selected node, or ends it there. */
  private edgeByKeys(): void {
    const { network, node } = this.drawing!;
    if (node < 0) { this.say('Select a node with N first.'); return; }
    if (this.edgeFrom < 0) {
      this.edgeFrom = node;
      this.say(`An edge from ${network.nodes[node].name}: select the other node with N, then press E.`);
      return;
    }
    const from = this.edgeFrom;
    this.edgeFrom = NONE;
    if (from !== node) this.addEdge(from, node, { x: 0, y: 0 });
  }

  private select(node: number, edge: number): void {
    const drawing = this.drawing!;
    drawing.node = node;
    drawing.edge = edge;
    this.greyOut();
    if (node >= 0) {
      this.shown.from = node;
      const from = this.host.querySelector<HTMLSelectElement>('[data-which=from]');
      if (from) from.value = String(node);
    }
    this.draw();
  }

  private act(act: string): void {
    const drawing = this.drawing!;
    const press = (name: string, on: boolean) => this.host.querySelector(`[data-act=${name}]`)!.setAttribute('aria-pressed', String(on));
    const middle: [number, number] = [this.stage.clientWidth / 2, this.stage.clientHeight / 2];
    switch (act) {
      case 'fit': this.fit(); break;
      case 'in': this.zoom(1.25, ...middle); break;
      case 'out': this.zoom(0.8, ...middle); break;
      case 'draws': press('draws', this.draws = !this.draws); break;
      case 'freeze':
        press('freeze', this.frozen = !this.frozen);
        if (this.forces) this.forces.frozen = this.frozen;
        if (!this.frozen) this.forces?.wake(0.3);
        break;
      case 'delete': this.remove(); break;
      case 'next': this.walk(1); break;
      case 'previous': this.walk(-1); break;
      case 'edge': this.edgeByKeys(); break;
      case 'add': this.addNode({ x: (middle[0] - drawing.zoom.x) / drawing.zoom.k, y: (middle[1] - drawing.zoom.y) / drawing.zoom.k }); break;
      case 'svg': download('graph.svg', 'image/svg+xml', svgFile(drawing).text); break;
      case 'png': void this.png(); break;
      case 'tikz': download('graph.tex', 'text/plain', tikz(drawing)); break;
    }
  }

  private async png(): Promise<void> {
    const { text, width, height } = svgFile(this.drawing!);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const scale = Math.min(2, 8000 / Math.max(width, height));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { if (blob) download('graph.png', 'image/png', blob); });
  }

  // Edits of the text.

  private number(node: number): number { return Number(this.drawing!.network.nodes[node].name); }
  private side(node: number) { return this.drawing!.network.nodes[node].side; }

  private say(message: string | null): void {
    if (message !== null) this.host.querySelector('.hint')!.textContent = message;
  }

  private addNode(at: Place): void {
    const { network, spots } = this.drawing!;
    const sided = network.nodes.some(({ side }) => side !== 'all');
    this.say(this.scene.edit((text) => {
      const node = text.free;
      if (!sided) {
        this.known.set(`all ${node}`, at);
        text.addNode(node);
        return null;
      }
      // A node of a bipartite graph is there by its edges: the first one leads to the nearest node of the other side.
      const side = at.x < 0 ? 'left' : 'right';
      const nearest = network.nodes.reduce((best, other, i) => (other.side !== side && (best < 0 || Math.abs(spots[i].y - at.y) < Math.abs(spots[best].y - at.y)) ? i : best), -1);
      return side === 'left' ? text.addEdge(node, this.number(nearest)) : text.addEdge(this.number(nearest), node);
    }));
  }

  /** An edge to a node, or to a new one at a place. */
  private addEdge(from: number, node: number, at: Place): void {
    const sided = this.side(from) !== 'all';
    if (sided && node >= 0 && this.side(node) === this.side(from)) { this.say('Edges join the two sides.'); return; }
    this.say(this.scene.edit((text) => {
      const to = node >= 0 ? this.number(node) : text.free;
      if (node < 0 && !sided) {
        this.known.set(`all ${to}`, at);
        text.addNode(to);
      }
      return this.side(from) === 'right' ? text.addEdge(to, this.number(from)) : text.addEdge(this.number(from), to);
    }));
  }

  private remove(): void {
    const { node, edge, network } = this.drawing!;
    if (node < 0 && edge < 0) return;
    const list = network.pointers && !this.scene.run.summary.variables.some(({ name }) => name === 'parent');
    this.say(this.scene.edit((text) => {
      if (node >= 0) {
        text.removeNode(this.number(node), this.side(node));
        // Elements of a list are numbered again.
        if (list) this.known = new Map(network.nodes.flatMap((_, i) => (i === node ? [] : [[`all ${i > node ? i - 1 : i}`, this.drawing!.spots[i]]])));
      } else {
        text.removeEdge(this.number(network.edges[edge].from), this.number(network.edges[edge].to));
      }
      return null;
    }));
  }
}
