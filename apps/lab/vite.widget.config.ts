import { defineConfig } from 'vite';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One module with its styles, next to the Python package in the build folder. */
export default defineConfig({
  build: { outDir: at('../../build/lab-widget'), emptyOutDir: true, target: 'es2022', lib: { entry: at('src/widget.ts'), formats: ['es'], fileName: () => 'pram_widget.js' } },
});
