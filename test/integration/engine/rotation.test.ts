import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import type { Drawing } from '../../../engine/raster/raster-job.ts';
import { inkOf, type Picture, picturesOf, rasterOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const BAR = { x: 300, y: 280, width: 200, height: 40 };
const FULL = [0xe3, 6, 0x13, 255];

const rectangle = (rotation: number, more: Partial<Drawing> = {}): Drawing =>
  ({
    kind: 'rectangle',
    field: 'layers[0]',
    box: BAR,
    opacity: 1,
    color: '#E30613',
    radius: 0,
    ...more,
    rotation,
  }) as Drawing;

const areaOf = ({ pixels }: Picture): number => {
  let sum = 0;
  for (let at = 3; at < pixels.length; at += 4) sum += pixels[at] ?? 0;
  return sum / 255;
};

const along = (degrees: number, distance: number): readonly [number, number] => {
  const turn = (degrees * Math.PI) / 180;
  return [Math.floor(400 + distance * Math.cos(turn)), Math.floor(300 + distance * Math.sin(turn))];
};

test('a shape rotates clockwise about the middle of its box, with smooth edges', async (t) => {
  const folder = await folderOf(t);
  const angles = [0, 30, 45, 90, 135, -60, 180, 360];
  const picture = await picturesOf(
    folder,
    angles.map((degrees) => rasterOf(`r${degrees}`, rectangle(degrees))),
  );
  for (const degrees of angles) {
    const turned = picture(`r${degrees}`);
    t.deepEqual(rgbaAt(turned, ...along(degrees, 95)), FULL, `${degrees}`);
    t.deepEqual(rgbaAt(turned, ...along(degrees, -95)), FULL, `${degrees}`);
    t.is(rgbaAt(turned, ...along(degrees, 105))[3], 0, `${degrees}`);
    t.is(rgbaAt(turned, ...along(degrees + 90, 25))[3], 0, `${degrees}`);
    t.true(Math.abs(areaOf(turned) - 8000) < 30, `${degrees}: ${areaOf(turned)} pixels`);
  }
  t.deepEqual(inkOf(picture('r90')), { x: 380, y: 200, width: 40, height: 200 });
  const soft = new Set(picture('r30').pixels.filter((_, at) => at % 4 === 3));
  t.true(soft.size > 100, 'edges have many shades');
});

test('images and texts rotate with smooth edges, and by quarter turns without any loss', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'halves.png');
  const [red, blue] = ['#E30613', '#0000FF'].map((background) => ({
    create: { width: 100, height: 40, channels: 3 as const, background },
  }));
  await sharp({ create: { width: 200, height: 40, channels: 3, background: red?.create.background ?? '' } })
    .composite([{ input: blue as { create: NonNullable<typeof blue>['create'] }, left: 100, top: 0 }])
    .png()
    .toFile(file);
  const image = (rotation: number): Drawing => ({
    ...{ kind: 'image', field: 'layers[0]', box: BAR, opacity: 1, rotation },
    ...{ asset: 'halves', fit: 'cover' },
  });
  const picture = await picturesOf(
    folder,
    [
      ...[0, 30, 90].map((degrees) => rasterOf(`i${degrees}`, image(degrees))),
      textRaster('t0', { text: 'Turn', background: { color: '#00FF00', opacity: 1, radius: 0 } }, BAR),
      textRaster('t90', { text: 'Turn', background: { color: '#00FF00', opacity: 1, radius: 0 } }, BAR, 90),
      textRaster('t30', { text: 'Turn', background: { color: '#00FF00', opacity: 1, radius: 0 } }, BAR, 30),
    ],
    { assets: new Map([['halves', file]]) },
  );
  t.deepEqual(rgbaAt(picture('i30'), ...along(30, -80)), FULL);
  t.deepEqual(rgbaAt(picture('i30'), ...along(30, 80)), [0, 0, 255, 255]);
  for (const id of ['i30', 't30']) t.true(Math.abs(areaOf(picture(id)) - 8000) < 30, `${areaOf(picture(id))} pixels`);
  for (const id of ['i', 't'])
    for (let distance = 0; distance < 200; distance += 7)
      t.deepEqual(
        rgbaAt(picture(`${id}90`), 419 - (distance % 40), 200 + distance),
        rgbaAt(picture(`${id}0`), 300 + distance, 280 + (distance % 40)),
        'a quarter turn only puts pixels elsewhere',
      );
});

test("a rotated layer is cropped at the frame's edge", async (t) => {
  const folder = await folderOf(t);
  const box = { x: -150, y: 280, width: 200, height: 40 };
  const picture = await picturesOf(folder, [
    rasterOf('shape', rectangle(45, { box })),
    textRaster('text', { text: 'HHHHHHHHHHHHHH' }, box, 45),
  ]);
  for (const id of ['shape', 'text']) {
    const { x, y, width, height } = picture(id).region;
    t.true(x >= 0 && y >= 300 && x + width <= 36 && y + height <= 386, id);
  }
});
