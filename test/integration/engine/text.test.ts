import test from 'ava';
import fc from 'fast-check';
import { textFault } from '../../../domain/shape/text-rules.ts';
import type { Region } from '../../../engine/raster/geometry.ts';
import { BOX, drawn, inkOf, picturesOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

test('a text that looks like markup, an expression or a path is drawn literally', async (t) => {
  const folder = await folderOf(t);
  const texts = [
    ...['AT&T', 'AT&amp;T', '<span>', '<span size="50000">x</span>', '<3', '%{pts}', '%%', "it's", '"quoted"'],
    ...['back\\slash', 'C:\\x\\n', "'; drawtext=text=x", '[in]', '@file', '-i', '&#65;', '&nope;', ']]>', '<!--'],
  ];
  const picture = await picturesOf(folder, [
    ...texts.map((text, n) => textRaster(`t${n}`, { text })),
    textRaster('narrow', { text: 'x' }),
  ]);
  const pictures = new Set(texts.map((_, n) => picture(`t${n}`).pixels.toString('latin1')));
  t.is(pictures.size, texts.length, 'each has a picture of its own');
  t.true(picture('t2').region.width > 5 * picture('narrow').region.width, '<span> has five letters');
});

test('an empty or blank text draws nothing, not even a background', async (t) => {
  const folder = await folderOf(t);
  const background = { color: '#FF0000', opacity: 1, radius: 0 };
  const made = await drawn({
    folder,
    rasters: ['', ' ', '\n\n', '\t', '\u00a0', '\u200b'].map((text, n) => textRaster(`t${n}`, { text, background })),
  });
  t.deepEqual([...made.rasters.keys()], ['t5'], 'only the last holds a character, though one without ink');
});

test('line and paragraph separators end a line as a newline does', async (t) => {
  const folder = await folderOf(t);
  const ends = ['\n', '\u2028', '\u2029'];
  const picture = await picturesOf(
    folder,
    ends.map((end, n) => textRaster(`t${n}`, { text: `H${end}H` })),
  );
  for (const n of [1, 2]) t.deepEqual(inkOf(picture(`t${n}`)), inkOf(picture('t0')));
});

test('lines are placed by the box and the alignment', async (t) => {
  const folder = await folderOf(t);
  // Capitals are 0.714 of the size high; the line of 48 px has its baseline at (48 - 1.362 * 40) / 2 + 1.069 * 40.
  const picture = await picturesOf(folder, [
    textRaster('top', { text: 'H' }),
    textRaster('two', { text: 'H\nH' }),
    textRaster('middle', { text: 'H', vertical_align: 'middle' }),
    textRaster('bottom', { text: 'H', vertical_align: 'bottom' }),
    textRaster('right', { text: 'H', align: 'right' }),
    textRaster('center', { text: 'H', align: 'center' }),
    textRaster('arabic', { text: 'سلام' }),
    textRaster('arabic-right', { text: 'سلام', align: 'right' }),
    textRaster('cut', { text: 'H\nH\nH\nH' }, { ...BOX, height: 100 }),
    textRaster('accents', { text: 'ÅH', line_height: 0.8 }),
    textRaster('apart', { text: 'H\nH', line_height: 3 }),
  ]);
  const at = (id: string): Region => inkOf(picture(id));
  const near = (found: number, wanted: number, what: string) =>
    t.true(Math.abs(found - wanted) <= 1.5, `${what}: ${found}, not ${wanted}`);
  const baseline = (48 - 1.362 * 40) / 2 + 1.069 * 40;
  near(at('top').y + at('top').height, 100 + baseline, 'baseline');
  near(at('top').height, 0.714 * 40, 'capital');
  near(at('top').x, 100, 'top');
  near(at('two').height - at('top').height, 48, 'line height');
  near(at('apart').height - at('top').height, 120, 'line height 3');
  near(at('middle').y - at('top').y, (400 - 48) / 2, 'middle');
  near(at('bottom').y - at('top').y, 400 - 48, 'bottom');
  near(at('right').x + at('right').width, 700, 'right');
  near(at('center').x + at('center').width / 2, 400, 'centre');
  near(at('arabic').x, 100, 'arabic');
  near(at('arabic-right').x + at('arabic-right').width, 700, 'arabic-right');
  near(at('cut').height, at('two').height, 'only whole lines');
  t.true(at('accents').y < 100, 'an accent may reach above its line');
});

const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(112).slice(0, 5000);

test('a long text wraps within its box, or shrinks until all of it fits', async (t) => {
  const folder = await folderOf(t);
  const word = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);
  const picture = await picturesOf(folder, [
    textRaster('long', { text: LONG, font_size: 20 }),
    textRaster('word', { text: word }),
    textRaster('shrunk', { text: 'The quick brown fox jumps over it', font_size: 200, shrink_to_fit: true }),
    textRaster('small', { text: LONG, font_size: 300, shrink_to_fit: true }),
    textRaster('padded', { text: LONG, font_size: 300, shrink_to_fit: true, padding: 80 }),
  ]);
  for (const [id, height] of [
    ['long', 300],
    ['word', 60],
    ['shrunk', 200],
    ['small', 300],
  ] as const) {
    const { region } = picture(id);
    t.true(region.x >= 100 && region.x + region.width <= 706, `${id}: ${region.x} + ${region.width}`);
    t.true(region.height > height && region.y >= 100 && region.y + region.height <= 504, `${id}: ${region.height}`);
  }
  const { region } = picture('padded');
  t.true(region.x >= 179 && region.x + region.width <= 624 && region.y >= 179 && region.y + region.height <= 424);
});

test('a word that is too long breaks into the next line without a hyphen', async (t) => {
  const folder = await folderOf(t);
  const line = { ...BOX, height: 48 };
  const word = 'Lastkraftwarenfahrerlaubnis'.repeat(2);
  const lengths = Array.from({ length: 40 }, (_, n) => n + 10);
  const picture = await picturesOf(folder, [
    textRaster('broken', { text: word }, line),
    ...lengths.map((length) => textRaster(`n${length}`, { text: word.slice(0, length) }, { ...line, width: 3000 })),
  ]);
  const inked = (id: string) => {
    const found = picture(id);
    const { x, y, width, height } = inkOf(found, 0);
    return Array.from(
      { length: width * height },
      (_, n) => rgbaAt(found, x + (n % width), y + Math.floor(n / width))[3],
    );
  };
  const broken = inked('broken').join();
  t.true(lengths.some((length) => inked(`n${length}`).join() === broken));
});

test('a far too long text is drawn as the lines that fit its box', async (t) => {
  const folder = await folderOf(t);
  const text = `First ${'line after line '.repeat(600)}`;
  const picture = await picturesOf(folder, [
    textRaster('all', { text, font_size: 190 }),
    textRaster('start', { text: text.slice(0, 100), font_size: 190 }),
    textRaster('lines', { text: 'a\n'.repeat(5000), font_size: 40 }),
  ]);
  t.deepEqual(picture('all'), picture('start'));
  t.true(inkOf(picture('lines')).height > 300);
});

/** Every text with one of these draws something, at least a box for a missing glyph. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

test('every allowed text can be drawn, and no text with a letter is blank', async (t) => {
  const folder = await folderOf(t);
  const texts = fc
    .sample(fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 })), {
      numRuns: 1_250,
      seed: 7,
    })
    .filter((text) => textFault(text, 10_000) === null);
  t.true(texts.length >= 1_000, String(texts.length));
  const box = { x: 10, y: 10, width: 620, height: 340 };
  const made = await drawn({
    folder,
    rasters: texts.map((text, n) => ({
      ...textRaster(`t${n}`, { text, font_size: 20, shrink_to_fit: n % 3 === 0 }, box),
      region: { x: 0, y: 0, width: 640, height: 360 },
    })),
  });
  const blank = texts.filter((text, n) => SEEN.test(text.replace(UNSEEN, '')) && !made.rasters.has(`t${n}`));
  t.deepEqual(blank, []);
});
