/**
 * Draws the pictures of docs/composition.md with the engine: all, or only the named ones.
 * `node docs/composition/draw.ts rotation opacity gliding`.
 */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import {
  type Assets,
  convertToAnimatedWebp,
  DEMO_ASSETS,
  drawLoudness,
  renderFilm,
  renderStill,
  writeNoiseClip,
} from './engine.ts';
import { CORAL, type DocumentationFigure, INK, PANEL_SIZE, type Panel, TEAL } from './picture.ts';
import { FIGURES } from './pictures.ts';

const GAP = 8;
const CAPTION = 24;
const SECONDS = 4;

/** A clip that counts its seconds, with a bar that fills within each. */
const counting = Array.from({ length: SECONDS }, (_, second) => {
  const span = { start: second, duration: 1 };
  const position = [
    { time: 0, x: -PANEL_SIZE.width, y: PANEL_SIZE.height - 12 },
    { time: 1, x: 0, y: PANEL_SIZE.height - 12 },
  ];
  const centred = { align: 'center', vertical_align: 'middle', font_size: 84, font_weight: 700 };
  return [
    { id: `number-${second}`, type: 'text', text: String(second), ...centred, ...span },
    {
      id: `bar-${second}`,
      type: 'shape',
      color: CORAL,
      ...span,
      width: PANEL_SIZE.width,
      height: 12,
      keyframes: { position },
    },
  ];
}).flat();

const drawPanel = async (panel: Panel, assets: Assets, folder: string): Promise<Buffer> => {
  const { layers, background = INK, at_s = 0 } = panel;
  const parts = { ...PANEL_SIZE, duration: SECONDS, background, layers };
  if (panel.sound === true) {
    const file = await renderFilm(parts, assets, folder);
    const drawn = await drawLoudness(file, PANEL_SIZE.width, PANEL_SIZE.height, CORAL);
    return sharp(drawn).flatten({ background: INK }).png().toBuffer();
  }
  return renderStill(parts, assets, folder, at_s);
};

/** Lays out the panels with their captions. The engine draws the sheet too. */
const layOut = async ({ panels }: DocumentationFigure, drawn: readonly string[], folder: string): Promise<Buffer> => {
  const xOf = (index: number) => GAP + index * (PANEL_SIZE.width + GAP);
  const files: Assets = new Map(drawn.map((file, index) => [`panel-${index}`, { kind: 'image', file }]));
  const layers = panels.flatMap(({ caption }, index) => [
    { id: `panel-${index}`, type: 'image', asset: `panel-${index}`, x: xOf(index), y: GAP, ...PANEL_SIZE },
    {
      ...{ id: `caption-${index}`, type: 'text', text: caption, color: '#30304A', font_size: 14 },
      ...{
        x: xOf(index),
        y: GAP + PANEL_SIZE.height,
        width: PANEL_SIZE.width,
        height: CAPTION,
        vertical_align: 'middle',
      },
    },
  ]);
  const size = { width: xOf(panels.length), height: GAP + PANEL_SIZE.height + CAPTION };
  const sheet = await renderStill({ ...size, duration: 1, background: '#FFFFFF', layers }, files, folder, 0);
  return sharp(sheet).jpeg({ quality: 82, mozjpeg: true, chromaSubsampling: '4:4:4' }).toBuffer();
};

/** A picture and a text, side by side, each with a slow zoom and pan. */
const gliding = async (assets: Assets, folder: string): Promise<void> => {
  const [width, easing] = [2 * PANEL_SIZE.width + GAP, 'ease_in_out'];
  const scale = [1, 1.15, 1].map((value, n) => ({ time: n * 2, value, easing }));
  const position = [0, -30, 0].map((x, n) => ({ time: n * 2, x: PANEL_SIZE.width + GAP + 40 + x, y: 0, easing }));
  const written = { color: '#FFFFFF', font_size: 34, font_weight: 700, vertical_align: 'middle' };
  const right = { x: PANEL_SIZE.width + GAP, y: 0, ...PANEL_SIZE };
  const layers = [
    { id: 'zoom', type: 'image', asset: 'scene', x: 0, y: 0, ...PANEL_SIZE, keyframes: { scale } },
    { id: 'gap', type: 'shape', color: '#FFFFFF', ...right, x: PANEL_SIZE.width },
    { id: 'plate', type: 'shape', color: INK, ...right },
    { id: 'pan', type: 'text', text: 'Slow pan', ...right, ...written, keyframes: { position } },
  ];
  const parts = { width, height: PANEL_SIZE.height, duration: SECONDS, fps: 25, background: INK, layers };
  const file = fileURLToPath(new URL('gliding.webp', import.meta.url));
  await convertToAnimatedWebp(await renderFilm(parts, assets, folder), file);
  console.log(`gliding.webp: ${Math.ceil((await stat(file)).size / 1024)} KiB`);
};

const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
try {
  const parts = { ...PANEL_SIZE, duration: SECONDS, background: TEAL, layers: counting };
  const counter = { kind: 'video', file: await renderFilm(parts, new Map(), join(folder, 'counter')) } as const;
  const rain = { kind: 'video', file: await writeNoiseClip(join(folder, 'rain.mp4'), 1) } as const;
  const sea = { kind: 'video', file: await writeNoiseClip(join(folder, 'sea.mp4'), 2) } as const;
  const assets: Assets = new Map([...DEMO_ASSETS, ['counter', counter], ['rain', rain], ['sea', sea]]);
  const wanted = process.argv.slice(2);
  for (const [name, picture] of Object.entries(FIGURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const drawn = await Promise.all(
      picture.panels.map(async (panel, index) => {
        const file = join(folder, `${name}-${index}.png`);
        await writeFile(file, await drawPanel(panel, assets, join(folder, `${name}-${index}`)));
        return file;
      }),
    );
    const bytes = await layOut(picture, drawn, folder);
    await writeFile(new URL(`${name}.jpg`, import.meta.url), bytes);
    console.log(`${name}.jpg: ${Math.ceil(bytes.length / 1024)} KiB`);
  }
  if (wanted.length === 0 || wanted.includes('gliding')) {
    const file = join(folder, 'scene.png');
    const scene = [{ id: 'mountains', type: 'video', asset: 'mountains' }];
    await writeFile(
      file,
      await renderStill(
        { ...PANEL_SIZE, duration: 4, background: INK, layers: scene },
        assets,
        join(folder, 'scene'),
        2,
      ),
    );
    await gliding(new Map([['scene', { kind: 'image', file }]]), join(folder, 'gliding'));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
