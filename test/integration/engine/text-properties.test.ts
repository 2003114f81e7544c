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

const isSame = (one: Picture, other: Picture): boolean =>
  one.pixels.equals(other.pixels) && JSON.stringify(one.region) === JSON.stringify(other.region);

const rightOf = ({ x, width }: { readonly x: number; readonly width: number }): number => x + width;

test('space between letters is not at line ends or in joined scripts', async (t) => {
  const folder = await folderOf(t);
  const spaced = { letter_spacing: 10 };
  const texts = { latin: 'HHHH', hebrew: 'חחחח', arabic: 'سسسس', mixed: 'HHH سس', chinese: '宁静宁静' };
  const entries = Object.entries(texts);
  const right = { align: 'right' } as const;
  const picture = await picturesOf(folder, [
    ...entries.map(([id, text]) => textRaster(id, { text })),
    ...entries.map(([id, text]) => textRaster(`${id} spaced`, { text, ...spaced })),
    textRaster('right', { text: texts.latin, ...right }),
    textRaster('right spaced', { text: texts.latin, ...right, ...spaced }),
    textRaster(
      'half',
      { text: texts.latin, font_size: 80, letter_spacing: 20, shrink_to_fit: true },
      {
        ...{ x: 100, y: 100, width: 600, height: 48 },
      },
    ),
  ]);
  const ink = (id: string) => inkOf(picture(id));
  for (const [id, gaps] of [
    ['latin', 3],
    ['hebrew', 3],
    ['arabic', 0],
    ['chinese', 3],
  ] as const) {
    t.true(Math.abs(ink(`${id} spaced`).width - ink(id).width - 10 * gaps) <= 1, id);
    if (id !== 'chinese') t.true(Math.abs(ink(`${id} spaced`).x - ink(id).x) <= 1, `${id} begins at its side`);
  }
  t.true(Math.abs(ink('mixed spaced').x - ink('mixed').x) <= 1, 'a direction mark gets no space');
  t.true(Math.abs(rightOf(ink('right spaced')) - rightOf(ink('right'))) <= 1);
  t.true(Math.abs(ink('half').width - ink('latin spaced').width) <= 3, 'space shrinks with its letters');
});

test('letters can be slanted, underlined and struck, and use features of the font', async (t) => {
  const folder = await folderOf(t);
  const at = { text: 'H H', font_size: 100 } as const;
  const picture = await picturesOf(folder, [
    textRaster('plain', at),
    textRaster('underline', { ...at, underline: true }),
    textRaster('strike', { ...at, strike: true }),
    textRaster('upright', { text: 'l', font_size: 100 }),
    textRaster('italic', { text: 'l', font_size: 100, italic: true }),
    textRaster('figures', { text: '1111' }),
    textRaster('proportional', { text: '1111', font_features: 'pnum, zero=0' }),
  ]);
  const plain = inkOf(picture('plain'));
  const middle = plain.x + Math.round(plain.width / 2);
  const between = (id: string, y: number): number => rgbaAt(picture(id), middle, y)[3] ?? 0;
  const rows = Array.from({ length: 140 }, (_, row) => plain.y - 20 + row);
  const inked = (id: string) => rows.filter((y) => between(id, y) > 127);
  t.deepEqual(inked('plain'), []);
  const baseline = plain.y + plain.height;
  t.true(inked('underline').length >= 3 && inked('underline').every((y) => y >= baseline));
  t.true(inked('strike').length >= 3 && inked('strike').every((y) => y > plain.y + 20 && y < baseline - 10));
  t.true(inkOf(picture('italic')).width > 1.5 * inkOf(picture('upright')).width);
  t.true(inkOf(picture('proportional')).width < inkOf(picture('figures')).width - 4);
});

test('an ellipsis replaces the text that max_lines or the box cuts', async (t) => {
  const folder = await folderOf(t);
  const text = 'Small groups, old paths, and a hut with a fire at the end of every day';
  const box = { x: 100, y: 100, width: 300, height: 110 };
  const mark = { ellipsis: '…' };
  const picture = await picturesOf(folder, [
    textRaster('two', { text: 'One\nTwo\nThree', max_lines: 2, ...mark }),
    textRaster('two as written', { text: 'One\nTwo…' }),
    textRaster('no mark', { text: 'One\nTwo\nThree', max_lines: 2 }),
    textRaster('no mark as written', { text: 'One\nTwo' }),
    textRaster('all', { text: 'One\nTwo', max_lines: 2, ...mark }),
    textRaster('box', { text, ellipsis: ' +' }, box),
    textRaster('box as written', { text: 'Small groups, old paths, and +' }, box),
    textRaster('right to left', { text: 'ערב שקט\nאור\nים', max_lines: 2, ...mark }),
    textRaster('right to left as written', { text: 'ערב שקט\nאור…' }),
    textRaster('low', { text, max_lines: 2, vertical_align: 'bottom', ...mark }),
    textRaster('shrunk', { text, max_lines: 1, shrink_to_fit: true, ...mark }),
    textRaster('wide', { text: 'no room', max_lines: 1, ellipsis: 'mmmm' }, { ...box, width: 40 }),
  ]);
  for (const id of ['two', 'no mark', 'right to left']) t.true(isSame(picture(id), picture(`${id} as written`)), id);
  t.true(isSame(picture('all'), picture('no mark as written')), 'a text that fits has none');
  t.true(isSame(picture('box'), picture('box as written')));
  const low = inkOf(picture('low'));
  t.true(low.y > 400 && low.y + low.height <= 500, 'the lines that are shown are aligned');
  const shrunk = inkOf(picture('shrunk'));
  t.true(shrunk.height < 30 && shrunk.width > 500, 'a text shrinks to one line first');
  t.true(inkOf(picture('wide')).width <= 40, 'an ellipsis without room is left out');
});

test('justified lines reach both sides, and the last line stays at its start', async (t) => {
  const folder = await folderOf(t);
  const text = 'Small groups and old paths lead to a hut with a fire at night';
  const box = { x: 100, y: 100, width: 400, height: 300 };
  const picture = await picturesOf(folder, [
    textRaster('start', { text, align: 'start' }, box),
    textRaster('justify', { text, align: 'justify' }, box),
    textRaster('hebrew', { text: 'ערב שקט וטוב מאוד עם הרבה מילים כדי שיהיו שורות', align: 'justify' }, box),
  ]);
  const edges = (id: string, line: number) => {
    const { region, pixels } = picture(id);
    const top = Math.max(region.y, 100 + 48 * line);
    const rows = pixels.subarray((top - region.y) * region.width * 4, (148 + 48 * line - region.y) * region.width * 4);
    return inkOf({ region: { ...region, y: top, height: rows.length / (4 * region.width) }, pixels: rows });
  };
  const linesOf = (id: string): number => Math.ceil((inkOf(picture(id)).height - 10) / 48);
  const lines = linesOf('start');
  t.true(lines >= 3);
  t.true(rightOf(edges('start', 0)) < 495);
  for (let line = 0; line < lines - 1; line += 1)
    t.true(edges('justify', line).x <= 106 && rightOf(edges('justify', line)) >= 495, `line ${line}`);
  t.true(Math.abs(rightOf(edges('justify', lines - 1)) - rightOf(edges('start', lines - 1))) <= 1);
  t.true(edges('hebrew', 0).x <= 106 && rightOf(edges('hebrew', 0)) >= 495);
  const last = edges('hebrew', linesOf('hebrew') - 1);
  t.true(last.x > 150 && rightOf(last) >= 495, 'at the right');
});

test('a background surrounds the block of lines, or each line', async (t) => {
  const folder = await folderOf(t);
  const setting = { text: 'HHHHHHHH\nHHg', align: 'center', vertical_align: 'middle' } as const;
  const around = { ...setting, background: RED, padding: 10 };
  const picture = await picturesOf(folder, [
    textRaster('long', { ...setting, text: 'HHHHHHHH' }),
    textRaster('short', { ...setting, text: 'HHg' }),
    textRaster('text', { ...around, background_fit: 'text' }),
    textRaster('lines', { ...around, background_fit: 'lines' }),
    textRaster('half', { ...around, background: { ...RED, opacity: 0.5, radius: 8 }, background_fit: 'lines' }),
    textRaster('shrunk', { ...around, font_size: 300, background_fit: 'text', shrink_to_fit: true }),
    textRaster('turned', { ...around, background_fit: 'lines' }, undefined, 90),
  ]);
  const long = inkOf(picture('long'), 0);
  const short = inkOf(picture('short'), 0);
  const block = inkOf(picture('text'), 0);
  t.deepEqual([block.y, block.height], [300 - 48 - 10, 96 + 20]);
  t.true(Math.abs(block.width - long.width - 20) <= 1 && Math.abs(block.x - long.x + 10) <= 1);
  const across = (id: string, y: number): number =>
    Array.from({ length: 800 }, (_, x) => rgbaAt(picture(id), x, y)[3] ?? 0).filter((alpha) => alpha > 0).length;
  t.true(Math.abs(across('lines', 260) - long.width - 20) <= 1);
  t.true(Math.abs(across('lines', 345) - short.width - 20) <= 1, 'the second line is shorter');
  t.deepEqual(rgbaAt(picture('half'), 400, 301).slice(3), [128], 'where the lines meet');
  const shrunk = inkOf(picture('shrunk'), 0);
  t.true(shrunk.x >= 100 && shrunk.y >= 100 && rightOf(shrunk) <= 700 && shrunk.y + shrunk.height <= 500);
  t.deepEqual([inkOf(picture('turned'), 0).width, inkOf(picture('turned'), 0).height], [116, block.width]);
});
