/** Pieces of SVG that the array view is made of. */
import { escape } from '../../dom';

/** The left margin, for names. */
export const GUTTER = 78;
/** From this width on, a cell shows its value. */
export const READABLE = 14;

/** The cells that are shown: from `lo` up to `hi`, each `width` pixels wide. */
export interface Columns { lo: number; hi: number; width: number; plot: number }
export const leftOf = ({ lo, width }: Columns, cell: number): number => GUTTER + (cell - lo) * width;

/** Text in the middle, smaller or shorter where the cell is narrow. */
export function fitted(content: string, x: number, y: number, width: number, variable?: string, cell?: number): string {
  const size = Math.min(12, Math.max(7.5, (width / Math.max(1, content.length)) * 1.6));
  const most = Math.max(1, Math.floor((width / size) * 1.65));
  const shown = content.length > most ? `${content.slice(0, Math.max(1, most - 1))}…` : content;
  const name = variable === undefined ? '' : ` data-of-variable="${escape(variable)}" data-value="${cell}"`;
  return `<text text-anchor="middle"${name} font-size="${size.toFixed(1)}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${shown}</text>`;
}

/** In tenths of a pixel; toFixed takes several times as long. */
export const tenths = (value: number): number => Math.round(value * 10) / 10;

/** A rectangle as part of a path: a thousand elements would take longer than a frame. */
export const box = (x: number, y: number, width: number, height: number): string => {
  const left = tenths(x);
  return `M${left} ${tenths(y)}h${tenths(x + width - left)}v${tenths(height)}H${left}z`;
};

export const shorten = (name: string, most: number): string => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
export const shortBool = (value: string): string => (value === 'true' ? 'T' : value === 'false' ? 'F' : value);

/** Of a set of shapes by their attributes, one path each. */
export const paths = (shapes: Map<string, string>): string[] => [...shapes].map(([attributes, path]) => `<path ${attributes} d="${path}"/>`);
