/** The main views against small pictures of them in `looks/`; LANEWISE_DRAW=1 draws those anew. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './browser';
import { button, choose, figuresDrawn, host, idle, page, time, type } from './page';

const FOLDER = resolve(process.cwd(), 'e2e/looks');
const NEW = join(root, 'build/lab-looks');
/** Pixels of the page, along both sides, that become one of the picture: letters become greys, which little depends on how they are smoothed. */
const BLOCK = 5;
/** A pixel differs when one of its colours does by more, of 255; so many of 10,000 may. */
const COLOR = 32;
const MOST = 10;

const tab = (name: string) => page().getByRole('tab', { name, exact: true }).click();
const to = async (share: number) => time().fill(String(Math.round(Number(await time().getAttribute('max')) * share)));
const dark = () => button('Light or dark').click();

const LOOKS: Record<string, () => Promise<void>> = {
  array: async () => { await choose('Prefix sums', 'scan'); await to(0.77); },
  'array-dark': async () => { await dark(); await choose('Sort', 'sort'); await to(0.5); },
  'array-narrow': async () => { await page().setViewportSize({ width: 400, height: 800 }); await choose('Prefix sums', 'scan'); await to(0.77); },
  flow: async () => { await choose('Sort', 'bitonic_sort'); await button('Flow').click(); await to(1); },
  heat: async () => { await choose('Matrices', 'matrix_product'); await to(0.5); },
  conflict: async () => {
    await choose('Prefix sums', 'scan');
    await type('mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nif p > 0 { B[p] = A[p] + A[p - 1] }\n');
    await button('Run to conflict').click();
  },
  graph: async () => { await choose('Matching', 'matching'); await tab('Graph'); await to(1); },
  'graph-dark': async () => { await dark(); await choose('Lists and trees', 'list_ranking'); await tab('Graph'); await to(0.5); },
  meta: async () => { await choose('Sort', 'sort'); await tab('Meta-program'); await page().waitForSelector('.pane .kernel'); await to(0.5); },
  cost: async () => { await choose('Sort', 'sort'); await tab('Cost'); await to(0.5); },
  lesson: async () => {
    await button('Lessons').click();
    await page().locator('.toc a').nth(1).click();
    await figuresDrawn();
  },
};

/** The page as it stands: with the fonts of fonts-dejavu-core and at rest. */
async function screenshot(): Promise<string> {
  await page().evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root { --mono: "DejaVu Sans Mono" } body, .note { font-family: "DejaVu Sans" !important }');
    document.adoptedStyleSheets.push(sheet);
    (document.activeElement as HTMLElement | null)?.blur();
  });
  await page().mouse.move(0, 0);
  await idle();
  // A new layout, and the last of the graph's forces. Frames, as a loaded machine has fewer of them in a second.
  await page().evaluate(async (count) => { for (let i = 0; i < count; ++i) await new Promise((resolve) => requestAnimationFrame(resolve)); }, await page().locator('.network').count() > 0 ? 40 : 12);
  return (await page().screenshot({ animations: 'disabled' })).toString('base64');
}

/** The screenshot in small, and how many of 10,000 of its pixels are not those of `known`. A blank page does the sums: that of the lab has a strict policy. */
async function compare(shot: string, known: string | null): Promise<{ small: string; differ: number }> {
  const blank = await host().browser.newPage();
  try {
    return await blank.evaluate(async ([png, before, block, color]) => {
      const pixels = async (data: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const drawn = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
        drawn.drawImage(image, 0, 0);
        return drawn.getImageData(0, 0, image.width, image.height);
      };
      const large = await pixels(png);
      const [width, height] = [large.width / block, large.height / block];
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const small = new ImageData(width, height);
      for (let i = 0; i < small.data.length; ++i) {
        const [x, y] = [Math.floor(i / 4) % width, Math.floor(i / 4 / width)];
        let sum = 0;
        for (let dy = 0; dy < block; ++dy) for (let dx = 0; dx < block; ++dx) sum += large.data[4 * ((y * block + dy) * large.width + x * block + dx) + (i % 4)];
        small.data[i] = Math.round(sum / (block * block));
      }
      canvas.getContext('2d')!.putImageData(small, 0, 0);
      const other = before === null ? null : await pixels(before);
      let differ = 0;
      for (let i = 0; i < small.data.length; i += 4) {
        const far = !other || other.width !== width || other.height !== height || [0, 1, 2].some((c) => Math.abs(small.data[i + c] - other.data[i + c]) > color);
        if (far) ++differ;
      }
      return { small: canvas.toDataURL('image/png').split(',')[1], differ: (10_000 * differ) / (width * height) };
    }, [shot, known, BLOCK, COLOR] as const);
  } finally {
    await blank.close();
  }
}

for (const [name, make] of Object.entries(LOOKS)) {
  it(`looks as before: ${name}`, async () => {
    await make();
    const file = join(FOLDER, `${name}.png`);
    const { small, differ } = await compare(await screenshot(), existsSync(file) ? readFileSync(file, 'base64') : null);
    mkdirSync(NEW, { recursive: true });
    const seen = process.env.LANEWISE_DRAW ? file : join(NEW, `${name}.png`);
    writeFileSync(seen, Buffer.from(small, 'base64'));
    if (!process.env.LANEWISE_DRAW) expect(differ, `of 10,000 pixels; compare ${seen} with ${file}, and see "Pictures" in apps/lab/README.md`).toBeLessThanOrEqual(MOST);
  });
}
