/** Colours as the colour-blind see them: dichromats by the matrices of Machado, Oliveira and Fernandes (2009) on linear RGB, distances in CIELAB. */
export type Rgb = [number, number, number];

export const SIGHTS: Record<string, number[][]> = {
  'all colours': [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** Of "#rgb" or "#rrggbb", the linear shares of red, green and blue. */
export function linear(hex: string): Rgb {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.slice(1).match(/../g)!;
  return digits.map((pair) => {
    const share = parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
}

const times = (matrix: number[][], colour: Rgb): Rgb => matrix.map((row) => row.reduce((sum, value, i) => sum + value * colour[i], 0)) as Rgb;
export const seen = (hex: string, sight: string): Rgb => times(SIGHTS[sight], linear(hex)).map((share) => Math.max(0, Math.min(1, share))) as Rgb;

function lab(colour: Rgb): Rgb {
  const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], colour);
  const [x, y, z] = xyz.map((value, i) => {
    const share = value / [0.95047, 1, 1.08883][i];
    return share > 216 / 24389 ? Math.cbrt(share) : (24389 / 27 * share + 16) / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** How far apart two colours look; 2.3 is just noticeable side by side. */
export const distance = (a: string, b: string, sight: string): number =>
  Math.hypot(...lab(seen(a, sight)).map((value, i) => value - lab(seen(b, sight))[i]));

const luminance = (hex: string): number => linear(hex).reduce((sum, share, i) => sum + share * [0.2126, 0.7152, 0.0722][i], 0);
/** As WCAG 2 defines it: 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}
