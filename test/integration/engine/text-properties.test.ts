import test from 'ava';
import type { TypesettingOptions } from '../../../engine/raster/raster-job.ts';
import { inkOf, type Picture, PLAIN, picturesOf, rasterOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const CARD = { x: 100, y: 100, width: 400, height: 120 };
const RED = { color: '#E30613', opacity: 1, radius: 0 };

const PURE = new Set(['227,6,19', '0,255,0']);

const colorsAlong = (picture: Picture, y: number, from: number, until: number): readonly string[] => {
  const found: string[] = [];
  for (let x = from; x < until; x += 1) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgbaAt(picture, x, y);
    const color = `${red},${green},${blue}`;
    if (alpha === 255 && PURE.has(color) && color !== found.at(-1)) found.push(color);
  }
  return found;
};

const sumOf = ({ pixels }: Picture): number => {
  let sum = 0;
  for (let at = 3; at < pixels.length; at += 4) sum += pixels[at] ?? 0;
  return sum / 255;
};

test('a background fills the box with its colour, opacity and round corners', async (t) => {
  const folder = await folderOf(t);
  const picture = await picturesOf(folder, [
    textRaster('full', { text: 'H', background: RED }, CARD),
    textRaster('half', { text: 'H', background: { ...RED, opacity: 0.5 } }, CARD),
    textRaster('round', { text: 'H', background: { ...RED, radius: 40 } }, CARD),
    textRaster('pill', { text: 'H', align: 'center', background: { ...RED, radius: 4000 } }, CARD),
  ]);
  t.deepEqual(inkOf(picture('full')), CARD);
  t.deepEqual(rgbaAt(picture('full'), 499, 219), [0xe3, 6, 0x13, 255]);
  t.deepEqual(rgbaAt(picture('half'), 499, 219), [0xe3, 6, 0x13, 128]);
  t.is(rgbaAt(picture('round'), 101, 101)[3], 0);
  t.deepEqual(rgbaAt(picture('round'), 101, 160), [0xe3, 6, 0x13, 255]);
  const missing = CARD.width * CARD.height - sumOf(picture('pill'));
  t.true(Math.abs(missing - (4 - Math.PI) * 60 ** 2) < 30, `${missing} pixels are missing at the corners`);
});

test('padding moves the text away from the edges but not the background', async (t) => {
  const folder = await folderOf(t);
  const picture = await picturesOf(folder, [
    textRaster('plain', { text: 'H' }, CARD),
    textRaster('padded', { text: 'H', padding: 30 }, CARD),
    textRaster('right', { text: 'H', padding: 30, align: 'right', vertical_align: 'bottom' }, CARD),
    textRaster('wraps', { text: 'HHHHHHHHHHHH HH', padding: 10 }, { ...CARD, width: 420 }),
    textRaster('too much', { text: 'H', padding: 900, background: RED }, CARD),
  ]);
  const [plain, padded, right] = ['plain', 'padded', 'right'].map((id) => inkOf(picture(id)));
  t.is((padded?.x ?? 0) - (plain?.x ?? 0), 30);
  t.is((padded?.y ?? 0) - (plain?.y ?? 0), 30);
  t.true(Math.abs((right?.x ?? 0) + (right?.width ?? 0) - 470) <= 1);
  t.true((right?.y ?? 0) + (right?.height ?? 0) < 190);
  t.true(inkOf(picture('wraps')).height > 70, 'a narrower box has more lines');
  t.deepEqual(rgbaAt(picture('too much'), 101, 101), [0xe3, 6, 0x13, 255]);
});

test('an outline has its declared width around the letters and is below them', async (t) => {
  const folder = await folderOf(t);
  const outlined = (width: number): Partial<TypesettingOptions> => ({
    text: 'l',
    font_size: 200,
    font_weight: 900,
    color: '#00FF00',
    outline: { color: '#E30613', width },
  });
  const box = { x: 100, y: 100, width: 400, height: 300 };
  const picture = await picturesOf(folder, [
    textRaster('plain', { ...outlined(0), outline: null }, box),
    ...[0.5, 1, 2.5, 12, 60].map((width) => textRaster(`w${width}`, outlined(width), box)),
  ]);
  const plain = inkOf(picture('plain'), 0);
  t.deepEqual(colorsAlong(picture('w12'), 280, 60, 300), ['227,6,19', '0,255,0', '227,6,19']);
  for (const width of [1, 12, 60]) {
    const around = inkOf(picture(`w${width}`), 0);
    t.true(Math.abs(plain.x - around.x - width) <= 1, `left of ${width}`);
    t.true(Math.abs(around.width - plain.width - 2 * width) <= 2, `right of ${width}`);
    t.true(Math.abs(around.height - plain.height - 2 * width) <= 2, `height of ${width}`);
  }
  // The outline adds as much area as a rectangle gains that grows by `width` on all sides, with round corners.
  const [letter, perimeter] = [sumOf(picture('plain')), 2 * (plain.width + plain.height)];
  for (const width of [0.5, 1, 2.5, 12]) {
    const grown = sumOf(picture(`w${width}`)) - letter;
    const wanted = perimeter * width + Math.PI * width ** 2;
    t.true(Math.abs(grown - wanted) < 0.04 * wanted + 8, `${width}: ${grown}, not ${wanted}`);
  }
});

test('a shadow has its own offset, colour and softness', async (t) => {
  const folder = await folderOf(t);
  const box = { x: 100, y: 100, width: 400, height: 300 };
  const shaded = (blur: number): Partial<TypesettingOptions> => ({
    text: 'l',
    font_size: 200,
    font_weight: 900,
    shadow: { color: '#0000FF', opacity: 0.5, x: 100, y: 20, blur },
  });
  const picture = await picturesOf(folder, [
    textRaster('plain', { ...shaded(0), shadow: null }, box),
    textRaster('sharp', shaded(0), box),
    textRaster('soft', shaded(10), box),
    textRaster('on card', { ...shaded(0), background: RED }, box),
  ]);
  const plain = inkOf(picture('plain'));
  const [x, y] = [plain.x + Math.round(plain.width / 2) + 100, plain.y + Math.round(plain.height / 2) + 20];
  t.deepEqual(rgbaAt(picture('sharp'), x, y), [0, 0, 255, 128]);
  t.deepEqual(rgbaAt(picture('sharp'), plain.x + 5, y), [255, 255, 255, 255], 'the text itself is above it');
  t.true(inkOf(picture('sharp')).x === plain.x);
  t.deepEqual(rgbaAt(picture('on card'), x, y).slice(3), [255]);
  // A blurred edge has half the strength at its place, and 16 % one deviation further out.
  const edge = plain.x + plain.width + 100;
  const alpha = (at: number): number => rgbaAt(picture('soft'), at, y)[3] ?? 0;
  t.true(Math.abs(alpha(edge) - 64) < 8, `at the edge ${alpha(edge)}`);
  t.true(Math.abs(alpha(edge + 10) - 0.16 * 128) < 6, `one further ${alpha(edge + 10)}`);
  t.true(alpha(edge + 29) < 4);
});

test("a layer's opacity applies to the layer as a whole", async (t) => {
  const folder = await folderOf(t);
  const setting = { ...PLAIN, text: 'I', font_size: 100, font_weight: 900, background: RED };
  const drawing = { kind: 'text' as const, field: 'layers[0]', box: CARD, rotation: 0, opacity: 0.5, setting };
  const picture = (await picturesOf(folder, [rasterOf('text', drawing)]))('text');
  const colors = new Set<string>();
  for (let x = 101; x < 499; x += 1) colors.add(rgbaAt(picture, x, 150).join());
  t.true(colors.has('227,6,19,128') && colors.has('255,255,255,128'), [...colors].join(' '));
});

test('weights differ, and letters have exactly the requested colour', async (t) => {
  const folder = await folderOf(t);
  const weights = [100, 300, 400, 600, 700, 900];
  const picture = await picturesOf(
    folder,
    weights.map((font_weight) => textRaster(`w${font_weight}`, { text: 'Hamburg', font_weight, color: '#E30613' })),
  );
  const inked = weights.map((weight) => sumOf(picture(`w${weight}`)));
  t.deepEqual(
    inked,
    [...inked].sort((a, b) => a - b),
  );
  const { pixels } = picture('w400');
  for (let at = 0; at < pixels.length; at += 4)
    if ((pixels[at + 3] ?? 0) > 0) t.deepEqual([...pixels.subarray(at, at + 3)], [0xe3, 6, 0x13]);
});
