import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@wasm': resolve(process.cwd(), '../../build/lab-wasm') } },
  test: { include: ['e2e/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 2 /* each with a Chromium of several processes */ },
});
