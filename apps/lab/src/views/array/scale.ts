/** Bars: where zero lies, and how long a value is. Infinite values fill the height. */
export interface Scale { zero: number; y(value: number): number }

export function scaleOf(valueOf: (i: number) => number, count: number, height: number): Scale {
  let low = 0;
  let high = 0;
  for (let i = 0; i < count; ++i) {
    const value = valueOf(i);
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) high = 1;
  const y = (value: number) => {
    const within = Math.max(low, Math.min(high, Number.isNaN(value) ? 0 : value));
    return (height * (high - within)) / (high - low);
  };
  return { zero: y(0), y };
}

/** The cells of `count` that one column of a picture with `columns` shows: from, and up to. */
export const bucket = (column: number, columns: number, count: number): [number, number] =>
  [Math.floor((column * count) / columns), Math.max(Math.floor(((column + 1) * count) / columns), Math.floor((column * count) / columns) + 1)];
