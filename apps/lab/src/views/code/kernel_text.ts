/** A source of kernels, cut where each one begins. */
export interface KernelText { line: number; names: string[]; text: string }

/** Before each comment that names the first line of a kernel; line 0 for what comes before. */
export const kernelsOf = (source: string): KernelText[] => source.split(/^(?=\/\/ Line \d)/m).map((text) => ({
  line: Number(/^\/\/ Line (\d+)/.exec(text)?.[1] ?? 0), names: [...text.matchAll(/\b(kernel_\d+)\s*\(/g)].map(([, name]) => name), text,
}));
