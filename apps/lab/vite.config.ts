import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: './',  // the folder may lie anywhere on a server
  resolve: { alias: { '@wasm': at('../../build/lab-wasm') } },
  build: { outDir: at('../../build/lab-site'), emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1000 /* a test limits the compressed size */ },
  worker: { format: 'es' },
  server: { fs: { allow: [at('../..')] } },
  test: { include: ['test/**/*.test.ts'] },
});
