import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { localAsset, NO_INSPECTION, readProject } from '../../../cli/catalogue/project-files.ts';
import { reportOf } from '../../../cli/fault.ts';
import { codePointRangesOf } from '../../../domain/composition/glyph-ranges.ts';
import { cmap, groups, SQUARE, trueType } from '../../hostile/write/sfnt.ts';

const DEMO = join(import.meta.dirname, '..', '..', '..', 'examples', 'demo');

const composition = { id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2, layers: [] };
const project = (assets: readonly object[]) => ({
  name: 'Test',
  main_composition_id: 'comp_main',
  compositions: [composition],
  assets,
});

const folder = async (t: ExecutionContext, content: unknown): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'project files '));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  await writeFile(join(path, 'project.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

const faults = async (path: string): Promise<string> => {
  const read = await readProject(path);
  if (E.isRight(read)) return '';
  const { message, details } = reportOf(read.left);
  return [message, ...details].join('\n');
};

test('the demo project is read with hash, size and type of each file', async (t) => {
  const read = await readProject(DEMO);
  if (E.isLeft(read)) return t.fail(JSON.stringify(read.left));
  const { file, assets } = read.right;
  t.is(assets.length, file.assets.length);
  for (const { stored } of assets) {
    t.regex(stored.sha256, /^[0-9a-f]{64}$/);
    t.true(stored.size_bytes > 0);
    t.true(stored.content_type.startsWith(`${stored.kind}/`));
  }
});

test('a path to the file works as well as one to its folder', async (t) => {
  t.true(E.isRight(await readProject(join(DEMO, 'project.json'))));
});

test('a missing folder is reported', async (t) => {
  t.regex(await faults('/no/such/folder'), /^\/no\/such\/folder cannot be read: the file does not exist$/);
});

test('a file that is not JSON is reported', async (t) => {
  t.regex(await faults(await folder(t, '{"name":')), /project\.json cannot be read: it is not JSON/);
});

test('a file that is no project is refused with what to give instead', async (t) => {
  const path = join(await folder(t, project([])), 'README.md');
  await writeFile(path, '# Hello');
  const remedy = /README\.md cannot be read: it is not a project: give a folder with a project\.json, or that file$/;
  t.regex(await faults(path), remedy);
});

test('every error of the document is listed with its path', async (t) => {
  const wrong = { ...project([]), name: '', compositions: [{ ...composition, width: 'wide' }] };
  const told = await faults(await folder(t, wrong));
  t.regex(told, /has 2 errors; nothing was imported/);
  t.regex(told, /^name: /m);
  t.regex(told, /^compositions\[0\]\.width: /m);
});

test('the files of an invalid document are checked too, and all errors are listed', async (t) => {
  const path = await folder(t, {
    ...project([
      { id: 'a', kind: 'image', file: 'missing.png' },
      { id: 'b', kind: 'film', file: 'missing.mp4' },
    ]),
    name: '',
    main_composition_id: 'comp_gone',
  });
  t.is(
    await faults(path),
    [
      `${join(path, 'project.json')} has 4 errors; nothing was imported`,
      'name: must not be empty',
      'assets[1].kind: must be one of image, video, audio, font',
      'main_composition_id: the project has no composition "comp_gone"',
      'assets[0].file: "a" (missing.png) cannot be read: the file does not exist',
    ].join('\n'),
  );
});

test('a byte order mark is accepted', async (t) => {
  t.true(E.isRight(await readProject(await folder(t, `\uFEFF${JSON.stringify(project([]))}`))));
});

test('a file of gigabytes is refused unread', async (t) => {
  const path = await folder(t, ' '.repeat(8 * 1024 * 1024 + 1));
  t.regex(await faults(path), /project\.json cannot be read: it is larger than 8 MiB$/);
});

test('a project file without an end is refused unread', async (t) => {
  const endless = await folder(t, '');
  const path = join(endless, 'project.json');
  await rm(path);
  await symlink('/dev/zero', path);
  t.regex(await faults(endless), /project\.json cannot be read: it is not a file$/);
});

test("every error of the project's files is listed with its path", async (t) => {
  const path = await folder(
    t,
    project([
      { id: 'a', kind: 'image', file: 'missing.png' },
      { id: 'b', kind: 'video', file: 'picture.png' },
      { id: 'c', kind: 'image', file: 'empty.png' },
      { id: 'd', kind: 'image', file: 'folder.png' },
      { id: 'e', kind: 'image', file: 'way-out.png' },
    ]),
  );
  await writeFile(join(path, 'picture.png'), 'x');
  await writeFile(join(path, 'empty.png'), '');
  await mkdir(join(path, 'folder.png'));
  await symlink('/etc/hostname', join(path, 'way-out.png'));
  const told = await faults(path);
  t.regex(told, /^assets\[0\]\.file: "a" \(missing\.png\) cannot be read: the file does not exist$/m);
  t.regex(
    told,
    /^assets\[1\]\.file: "b" \(picture\.png\) does not have the extension of a video \(.*\.mp4.*\); convert it, or change its kind to "image"$/m,
  );
  t.regex(told, /^assets\[2\]\.file: "c" \(empty\.png\) is empty: copy or download it again$/m);
  t.regex(told, /^assets\[3\]\.file: "d" \(folder\.png\) is not a file$/m);
  t.regex(told, /^assets\[4\]\.file: "e" \(way-out\.png\) is outside the folder of the project file$/m);
});

const FACE = join(
  import.meta.dirname,
  '../../../node_modules/@expo-google-fonts/noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf',
);

/** The same face with another family name, which the file stores in UTF-16 big-endian. */
const faceNamed = async (family: string): Promise<Buffer> => {
  const written = (name: string): string => Buffer.from(name, 'utf16le').swap16().toString('latin1');
  const bytes = (await readFile(FACE)).toString('latin1').replaceAll(written('Noto Sans Hebrew'), written(family));
  return Buffer.from(bytes, 'latin1');
};

const text = (font_family: string) => ({
  id: font_family.replaceAll(' ', '-'),
  type: 'text',
  text: 'Hello',
  font_family,
});

test('a font file is an asset of its family, which texts can name', async (t) => {
  const layers = [text('Acme Sans Hebrew')];
  const path = await folder(t, {
    ...project([{ id: 'bold', kind: 'font', file: 'Bold.TTF' }]),
    compositions: [{ ...composition, layers }],
  });
  await writeFile(join(path, 'Bold.TTF'), await faceNamed('Acme Sans Hebrew'));
  const read = await readProject(path);
  if (E.isLeft(read)) return t.fail(JSON.stringify(read.left));
  t.like(read.right.assets[0]?.stored, { kind: 'font', font_family: 'Acme Sans Hebrew', content_type: 'font/ttf' });
});

test("characters of a font file that the engine's fonts lack become usable", async (t) => {
  t.timeout(60_000);
  const icons = { ...text('Hostile'), text: 'Hello \ue001' };
  const path = await folder(t, {
    ...project([{ id: 'icons', kind: 'font', file: 'icons.ttf' }]),
    compositions: [{ ...composition, layers: [icons, { ...icons, id: 'no', text: '\ue002' }] }],
  });
  const withCharacters = (...of: Parameters<typeof groups>) =>
    trueType([SQUARE, SQUARE], { cmap: cmap(groups(...of)) });
  await writeFile(join(path, 'icons.ttf'), withCharacters(12, [0x41, 0x41, 1], [0xe001, 0xe001, 1]));
  const told = await faults(path);
  t.regex(told, /layers\[1\]\.text: has a character that no font has: U\+E002$/m);
  t.notRegex(told, /layers\[0\]/);
  // The file declares all characters and more.
  await writeFile(join(path, 'icons.ttf'), withCharacters(12, [0, 0xffffffff, 1]));
  const local = await localAsset(path, { id: 'icons', kind: 'font', file: 'icons.ttf' }, NO_INSPECTION.readFont);
  if (E.isLeft(local)) return t.fail(local.left);
  t.is(codePointRangesOf(local.right.stored.font_covers ?? '').at(-1)?.[1], 0x10fffd);
});

test('an unknown font family is reported at its layer', async (t) => {
  const path = await folder(t, {
    ...project([{ id: 'bold', kind: 'font', file: 'bold.ttf' }]),
    compositions: [{ ...composition, layers: [text('acme sans hebrew'), text('Acme Sans Hebrew')] }],
  });
  await writeFile(join(path, 'bold.ttf'), await faceNamed('Acme Sans Hebrew'));
  const told = await faults(path);
  t.regex(
    told,
    /^compositions\[0\]\.layers\[0\]\.font_family: is not a known font family; the known ones are Noto Sans, .*, Acme Sans Hebrew$/m,
  );
  t.notRegex(told, /layers\[1\]/);
});

test('an unusable font is refused with a target format', async (t) => {
  const path = await folder(
    t,
    project([
      { id: 'a', kind: 'font', file: 'text.ttf' },
      { id: 'b', kind: 'font', file: 'cut.otf' },
      { id: 'c', kind: 'font', file: 'web.woff2' },
      { id: 'd', kind: 'font', file: 'nothing.ttf' },
    ]),
  );
  await writeFile(join(path, 'text.ttf'), 'This is no font.');
  await writeFile(join(path, 'cut.otf'), (await readFile(FACE)).subarray(0, 100));
  await writeFile(join(path, 'web.woff2'), 'wOF2');
  await writeFile(join(path, 'nothing.ttf'), '');
  const told = await faults(path);
  t.regex(told, /^assets\[0\]\.file: "[^"]+" \([^)]+\) cannot be read as a font: convert it to TTF or OTF$/m);
  t.regex(told, /^assets\[1\]\.file: "[^"]+" \([^)]+\) cannot be read as a font: convert it to TTF or OTF$/m);
  t.regex(told, /^assets\[2\]\.file: "[^"]+" \([^)]+\) is a font for web pages: convert it to TTF or OTF$/m);
  t.regex(told, /^assets\[3\]\.file: "[^"]+" \([^)]+\) is empty: copy or download it again$/m);
});
