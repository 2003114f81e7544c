import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { execa } from 'execa';
import fc from 'fast-check';
import { textFault } from '../../../domain/composition/text-rules.ts';
import { writeFontsConf } from '../../../render-workers/engine/fonts.ts';
import type { Region } from '../../../render-workers/engine/geometry.ts';
import type { DrawnStill, Still, TextSetting } from '../../../render-workers/engine/stills/still.ts';
import { folderOf } from './_rendering.ts';

const PLAIN: TextSetting = {
  text: '',
  font_family: 'Noto Sans',
  font_size: 40,
  font_weight: 400,
  color: '#FFFFFF',
  align: 'left',
  vertical_align: 'top',
  line_height: 1.2,
  shrink_to_fit: false,
};
const BOX = { x: 100, y: 100, width: 600, height: 400 };
const FRAME = { x: 0, y: 0, width: 800, height: 600 };

const stillOf = (id: string, setting: Partial<TextSetting>, box = BOX): Still => ({
  id,
  region: FRAME,
  drawings: [{ kind: 'text', field: 'layers[0]', box, opacity: 1, setting: { ...PLAIN, ...setting } }],
});

const PROGRAM = fileURLToPath(new URL('../../../render-workers/engine/stills/main.ts', import.meta.url));
const draw = async (folder: string, stills: readonly Still[]): Promise<ReadonlyMap<string, DrawnStill>> => {
  const input = JSON.stringify({ stills, assets: {}, folder });
  const env = { FONTCONFIG_FILE: await writeFontsConf(folder) };
  const { stdout } = await execa(process.execPath, [PROGRAM], { input, env });
  const answer = JSON.parse(stdout);
  if (answer.tag !== 'drawn') throw new Error(stdout);
  return new Map(answer.stills.map((still: DrawnStill) => [still.id, still]));
};

/** Where there is ink, which is less than the still's region: that has even edges. */
const inkOf = async ({ file, region }: DrawnStill): Promise<Region> => {
  const pixels = await readFile(file);
  const inked = Array.from({ length: region.width * region.height }, (_, n) => n).filter(
    (n) => (pixels[4 * n + 3] ?? 0) > 100,
  );
  const columns = inked.map((n) => n % region.width);
  const [top = 0, bottom = 0] = [inked[0], inked.at(-1)].map((n) => Math.floor((n ?? 0) / region.width));
  const left = Math.min(...columns);
  return { x: region.x + left, y: region.y + top, width: Math.max(...columns) - left + 1, height: bottom - top + 1 };
};

test('what looks like markup, an expression or a path is drawn as it is', async (t) => {
  const folder = await folderOf(t);
  const texts = [
    ...['AT&T', 'AT&amp;T', '<span>', '<span size="50000">x</span>', '<3', '%{pts}', '%%', "it's", '"quoted"'],
    ...['back\\slash', 'C:\\x\\n', "'; drawtext=text=x", '[in]', '@file', '-i', '&#65;', '&nope;', ']]>', '<!--'],
  ];
  const drawn = await draw(folder, [
    ...texts.map((text, n) => stillOf(`t${n}`, { text })),
    stillOf('narrow', { text: 'x' }),
  ]);
  const pictures = new Set<string>();
  for (const [n, text] of texts.entries()) {
    const still = drawn.get(`t${n}`);
    if (still === undefined) return t.fail(`${text} is blank`);
    pictures.add((await readFile(still.file)).toString('latin1'));
  }
  t.is(pictures.size, texts.length, 'each has a picture of its own');
  t.true(
    (drawn.get('t2')?.region.width ?? 0) > 5 * (drawn.get('narrow')?.region.width ?? 0),
    '<span> has five letters',
  );
});

test('scripts are shaped by fonts of their own, in any family asked for', async (t) => {
  const folder = await folderOf(t);
  const texts = ['Ünïcödé ß', 'Ελληνικά', 'Кириллица', 'سلام دنيا', 'नमस्ते', 'Tiếng Việt'];
  const drawn = await draw(folder, [
    ...texts.map((text, n) => stillOf(`t${n}`, { text })),
    ...texts.map((text, n) => stillOf(`d${n}`, { text, font_family: 'Noto Sans Devanagari', font_weight: 700 })),
    stillOf('tofu', { text: '\u{10FFFD}' }),
    stillOf('tofus', { text: '\u{10FFFD}\u{10FFFD}' }),
  ]);
  const tofu = (drawn.get('tofus')?.region.width ?? 0) - (drawn.get('tofu')?.region.width ?? 0);
  t.true(tofu > 10);
  const joined = drawn.get('t3')?.region.width ?? 0;
  t.true(joined > 100 && joined < 9 * tofu, 'Arabic letters are joined and are not boxes');
  for (const n of texts.keys()) t.truthy(drawn.get(`t${n}`) && drawn.get(`d${n}`));
});

test('nothing is drawn for an empty or blank text', async (t) => {
  const folder = await folderOf(t);
  const drawn = await draw(
    folder,
    ['', ' ', '\n\n', '\t', '\u00a0', '\u200b'].map((text, n) => stillOf(`t${n}`, { text })),
  );
  t.is(drawn.size, 0);
});

test('lines lie where the box and the alignment say', async (t) => {
  const folder = await folderOf(t);
  // Capitals: 0.714 of the size high; their line of 48 px has its baseline at (48 - 1.362 * 40) / 2 + 1.069 * 40.
  const drawn = await draw(folder, [
    stillOf('top', { text: 'H' }),
    stillOf('two', { text: 'H\nH' }),
    stillOf('middle', { text: 'H', vertical_align: 'middle' }),
    stillOf('bottom', { text: 'H', vertical_align: 'bottom' }),
    stillOf('right', { text: 'H', align: 'right' }),
    stillOf('center', { text: 'H', align: 'center' }),
    stillOf('arabic', { text: 'سلام' }),
    stillOf('arabic-right', { text: 'سلام', align: 'right' }),
    stillOf('cut', { text: 'H\nH\nH\nH' }, { ...BOX, height: 100 }),
    stillOf('accents', { text: 'ÅH', line_height: 0.8 }),
  ]);
  const inked = new Map<string, Region>();
  for (const [id, still] of drawn) inked.set(id, await inkOf(still));
  const at = (id: string) => inked.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const near = (found: number, wanted: number, what: string) =>
    t.true(Math.abs(found - wanted) <= 1.5, `${what}: ${found}, not ${wanted}`);
  const baseline = (48 - 1.362 * 40) / 2 + 1.069 * 40;
  near(at('top').y + at('top').height, 100 + baseline, 'baseline');
  near(at('top').height, 0.714 * 40, 'capital');
  near(at('top').x, 100, 'top');
  near(at('two').height - at('top').height, 48, 'line height');
  near(at('middle').y - at('top').y, (400 - 48) / 2, 'middle');
  near(at('bottom').y - at('top').y, 400 - 48, 'bottom');
  near(at('right').x + at('right').width, 700, 'right');
  near(at('center').x + at('center').width / 2, 400, 'centre');
  near(at('arabic').x, 100, 'arabic');
  near(at('arabic-right').x + at('arabic-right').width, 700, 'arabic-right');
  near(at('cut').height, at('two').height, 'only whole lines');
  t.true(at('accents').y < 100, 'an accent may reach above its line');
});

test('a long text wraps within its box; shrunk, all of it fits', async (t) => {
  const folder = await folderOf(t);
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(111).slice(0, 5000);
  const word = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);
  const drawn = await draw(folder, [
    stillOf('long', { text, font_size: 20 }),
    stillOf('word', { text: word }),
    stillOf('shrunk', { text: 'The quick brown fox jumps over it', font_size: 200, shrink_to_fit: true }),
    stillOf('small', { text, font_size: 300, shrink_to_fit: true }),
  ]);
  for (const [id, height] of [
    ['long', 300],
    ['word', 60],
    ['shrunk', 200],
    ['small', 300],
  ] as const) {
    const region = drawn.get(id)?.region;
    if (region === undefined) return t.fail(id);
    t.true(region.x >= 100 && region.x + region.width <= 706, `${id}: ${region.x} + ${region.width}`);
    t.true(region.height > height && region.y >= 100 && region.y + region.height <= 504, `${id}: ${region.height}`);
  }
});

test('no text that is allowed makes drawing fail', async (t) => {
  const folder = await folderOf(t);
  const texts = fc
    .sample(fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 })), {
      numRuns: 300,
      seed: 7,
    })
    .filter((text) => textFault(text, 10_000) === null);
  t.true(texts.length > 200);
  await draw(
    folder,
    texts.map((text, n) => stillOf(`t${n}`, { text, shrink_to_fit: n % 3 === 0 })),
  );
  t.pass();
});
