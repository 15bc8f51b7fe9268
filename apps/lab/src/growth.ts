/** Which curve fits a cost that was measured for growing n. */

export interface Point { n: number; value: number }
export interface Fit { name: string; at: (n: number) => number; error: number }

const log = Math.log2;
/** From slow to fast. */
export const CURVES: [string, (n: number) => number][] = [
  ['1', () => 1], ['log n', log], ['log² n', (n) => log(n) ** 2], ['√n', Math.sqrt], ['n', (n) => n], ['n log n', (n) => n * log(n)],
  ['n log² n', (n) => n * log(n) ** 2], ['n²', (n) => n * n], ['n² log n', (n) => n * n * log(n)], ['n³', (n) => n ** 3],
];

/** a + b f(n) for each curve f, by least squares of relative errors; the slowest of those that fit about as well as the best. */
export function fit(points: Point[]): Fit {
  const fits = CURVES.map(([name, f]) => fitOne(points, name, f));
  const best = Math.min(...fits.map(({ error }) => error));
  return fits.find(({ error }) => error <= best * 1.5 + 0.005)!;
}

function fitOne(points: Point[], name: string, f: (n: number) => number): Fit {
  const constant = name === '1';
  let [ww, wf, wff, wy, wfy] = [0, 0, 0, 0, 0];
  for (const { n, value } of points) {
    const w = 1 / Math.max(1, value) ** 2;
    const x = constant ? 0 : f(n);
    ww += w;
    wf += w * x;
    wff += w * x * x;
    wy += w * value;
    wfy += w * x * value;
  }
  const determinant = ww * wff - wf * wf;
  const b = constant || determinant === 0 ? 0 : (ww * wfy - wf * wy) / determinant;
  const a = (wy - b * wf) / ww;
  const at = (n: number) => a + b * (constant ? 0 : f(n));
  const squares = points.map(({ n, value }) => ((at(n) - value) / Math.max(1, value)) ** 2);
  const error = Math.sqrt(squares.reduce((x, y) => x + y, 0) / Math.max(1, points.length));
  return { name, at, error: b < 0 ? Infinity : error };
}
