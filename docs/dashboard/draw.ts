/**
 * Makes the pictures of docs/dashboard from the browser test's screenshots:
 * `SCREENSHOTS=out/pages npx ava test/e2e/service/service.test.ts && node docs/dashboard/draw.ts out/pages`.
 */
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';

const GAP = 24;
const BACKGROUND = '#8a8f98';
const ROWS = ['light', 'dark'] as const;
/** Relative to the screenshots. */
const SCALE = 0.6;
const QUALITY = 70;

/** Shows a page in both themes, one below the other: wide, and on a phone. */
const sheetOf = async (folder: string, page: string): Promise<Sharp> => {
  const rows = await Promise.all(
    ROWS.map(async (theme) =>
      Promise.all(
        ['wide', 'phone'].map(async (form) => {
          const { data, info } = await sharp(join(folder, `${page}-${theme}-${form}.png`)).toBuffer({
            resolveWithObject: true,
          });
          return { input: data, width: info.width, height: info.height };
        }),
      ),
    ),
  );
  const height = Math.max(...rows.flat().map((one) => one.height));
  const width = Math.max(...rows.map((row) => row.reduce((sum, one) => sum + one.width + GAP, GAP)));
  const placed = rows.flatMap((row, n) => {
    let left = GAP;
    return row.map(({ input, width: taken }) => {
      const at = { input, left, top: GAP + n * (height + GAP) };
      left += taken + GAP;
      return at;
    });
  });
  const canvas = { width, height: rows.length * (height + GAP) + GAP, channels: 3, background: BACKGROUND } as const;
  const whole = await sharp({ create: canvas }).composite(placed).png().toBuffer();
  return sharp(whole).resize({ width: Math.round(width * SCALE) });
};

const PAGES = [
  'overview',
  'renders',
  'sheet',
  'render',
  'keys',
  'webhooks',
  'endpoint',
  'delivery',
  'people',
  'audit',
  'usage',
  'sessions',
  'operators',
] as const;

const [folder = 'out/pages'] = process.argv.slice(2);
for (const page of PAGES) {
  const sheet = await sheetOf(folder, page);
  const { size } = await sheet.webp({ quality: QUALITY }).toFile(join(import.meta.dirname, `${page}.webp`));
  process.stdout.write(`docs/dashboard/${page}.webp ${Math.round(size / 1_000)} kB\n`);
}
await sharp(join(folder, 'new-video.png'))
  .webp({ quality: QUALITY })
  .toFile(join(import.meta.dirname, 'new-video.webp'));
