/** The built site on a server of its own or from `lanewise lab`, and Chromium with a page of it that writes down what goes wrong. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/** npm runs scripts in apps/lab. */
export const root = resolve(process.cwd(), '../..');
const SITE = join(root, 'build/lab-site');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
/** Each new window would load the suggestions of the address bar, a page larger than the lab. The list replaces Playwright's. */
const WITHOUT = ['WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'HttpsUpgrades', 'MediaRouter',
  'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'];
const ARGS = [`--disable-features=${WITHOUT.join()}`, '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function serve(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const path = join(SITE, (request.url ?? '/').split('?')[0].replace(/\/$/, '/index.html'));
    if (!path.startsWith(SITE) || !existsSync(path)) { response.writeHead(404).end(); return; }
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** `lanewise lab` on a free port. */
export function serveLab(args: string[], env: NodeJS.ProcessEnv): Promise<{ url: string; close: () => void }> {
  const program = process.env.LANEWISE ?? join(root, 'build/lanewise');
  const server = spawn(program, ['lab', '--no-open', '--port', '0', ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    server.stdout.on('data', (data) => resolve({ url: /http:\S+/.exec(String(data))![0], close: () => server.kill() }));
    server.on('exit', (code) => reject(new Error(`lanewise lab ended with ${code}`)));
  });
}

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });

/** Errors of the console, and requests to anywhere but the site. */
export function watch(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(message.text()); });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) problems.push(`a request to ${request.url()}`);
  });
  return problems;
}

export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForSelector('html[data-ready=true]');
}
