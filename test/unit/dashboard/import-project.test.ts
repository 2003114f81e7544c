import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobWriter, TextReader, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js';
import test from 'ava';
import { type FolderFile, projectFiles } from '../../../dashboard/source/projects/import/folder.ts';
import { documentWithUploads, readProject } from '../../../dashboard/source/projects/import/read-project.ts';
import { readZip } from '../../../dashboard/source/projects/import/read-zip.ts';

const STARTERS = join(import.meta.dirname, '..', '..', '..', 'examples', 'starters');

const fileOf = (path: string, text = 'x'): FolderFile => ({
  path,
  size_bytes: Buffer.byteLength(text),
  read: () => Promise.resolve(new File([text], path)),
});

const projectOf = (document: unknown, ...files: readonly FolderFile[]) =>
  readProject([fileOf('project.json', JSON.stringify(document)), ...files]);

const zipOf = async (files: Readonly<Record<string, string | Uint8Array>>, level = 6): Promise<Buffer> => {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, level });
  for (const [path, content] of Object.entries(files))
    await writer.add(path, typeof content === 'string' ? new TextReader(content) : new Uint8ArrayReader(content));
  return Buffer.from(await (await writer.close()).arrayBuffer());
};

/** Replaces bytes, also in the directory of the ZIP file. Both texts have the same length. */
const replaced = (zip: Buffer, from: string, to: string): Blob =>
  new Blob([Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1')]);

test('every starter can be imported from its folder, and from a ZIP file', async (t) => {
  for (const starter of (await readdir(STARTERS, { withFileTypes: true })).filter((one) => one.isDirectory())) {
    const folder = join(STARTERS, starter.name);
    const paths = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    if (!paths.some(({ name }) => name === 'project.json')) continue;
    const contents = await Promise.all(
      paths.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(STARTERS.length + 1), await readFile(path)] as const;
      }),
    );
    // One of them is enough, because it has all kinds of files.
    const zip = starter.name === 'promo' ? [await zipOf(Object.fromEntries(contents))] : [];
    const zipped = await Promise.all(zip.map((bytes) => readZip(new Blob([new Uint8Array(bytes)]))));
    const chosen = contents.map(([path, bytes]) => ({
      ...{ path, size_bytes: bytes.length },
      read: () => Promise.resolve(new File([new Uint8Array(bytes)], path)),
    }));
    for (const files of [chosen, ...zipped]) {
      const project = await readProject(files);
      t.deepEqual(project.faults, [], starter.name);
      t.is(project.files.length, paths.length - 1, 'all of its files');
      for (const { path, file } of project.files)
        t.deepEqual(Buffer.from(await (await file.read()).arrayBuffer()), await readFile(join(folder, path)));
    }
  }
});

test('a path out of the folder is refused by its name', (t) => {
  for (const [path, fault] of [
    ['../project.json', 'leads out of the folder'],
    ['film/../../project.json', 'leads out of the folder'],
    ['/etc/passwd', 'is an absolute path'],
    ['C:/film.mp4', 'is an absolute path'],
    ['film\\logo.png', 'has a backslash'],
    ['film//logo.png', 'is not a plain path'],
    ['film/\u0000.png', 'has control characters'],
    ['x'.repeat(501), 'is longer than 500 characters'],
  ] as const)
    t.throws(() => projectFiles([fileOf('project.json'), fileOf(path)]), { message: new RegExp(` ${fault}\\.`) });
});

test('two files with one name are refused, also in two Unicode forms', (t) => {
  for (const [one, other] of [
    ['logo.png', 'logo.png'],
    ['caf\u00e9.png', 'cafe\u0301.png'],
  ] as const)
    t.throws(() => projectFiles([fileOf('project.json'), fileOf(one), fileOf(other)]), { message: /two files/ });
});

test('the project file nearest to the top counts, and files of systems do not', (t) => {
  const paths = ['a/project.json', 'a/b/project.json', 'a/logo.png', '__MACOSX/a/project.json', 'a/.DS_Store', 'c/d'];
  const found = projectFiles(paths.map((path) => fileOf(path)));
  t.deepEqual(Array.from(found.keys()), ['project.json', 'b/project.json', 'logo.png']);
  t.throws(() => projectFiles([fileOf('logo.png')]), { message: /no project\.json/ });
  t.throws(() => projectFiles([fileOf('a/project.json'), fileOf('b/project.json')]), { message: /several projects/ });
});

test('faults of the files of assets are at their place', async (t) => {
  const assets = [
    { id: 'a', kind: 'image', file: 'Logo.png' },
    { id: 'b', kind: 'image', file: 'gone.png' },
    { id: 'c', kind: 'image', file: 'empty.png' },
    { id: 'd', kind: 'image', file: 'notes.txt' },
    { id: 'e', kind: 'image', file: 3 },
    { id: 'f', kind: 'image', upload: 'upload_1' },
  ];
  const { faults } = await projectOf({ assets }, fileOf('logo.png'), fileOf('empty.png', ''), fileOf('notes.txt'));
  t.deepEqual(faults, [
    { path: 'assets[0].file', message: '“Logo.png” is not in the folder; its file is “logo.png”' },
    { path: 'assets[1].file', message: '“gone.png” is not in the folder' },
    { path: 'assets[2].file', message: '“empty.png” is empty' },
    { path: 'assets[3].file', message: '“notes.txt” has a type that cannot be used' },
    { path: 'assets[4].file', message: 'must be the path of a file' },
  ]);
  await t.throwsAsync(readProject([fileOf('project.json', '{')]), {
    message: /^project\.json cannot be read\. This is/,
  });
  await t.throwsAsync(readProject([fileOf('project.json', 'x'.repeat(2 ** 20 + 1))]), { message: /larger than 1 MiB/ });
});

test('assets with one file share its upload, and other members stay', async (t) => {
  const assets = [
    { id: 'a', kind: 'image', file: './logo.png', file_name: 'Our logo.png' },
    { id: 'b', kind: 'image', sha256: 'ab' },
    { id: 'c', kind: 'image', file: 'logo.png' },
  ];
  const { files, document } = await projectOf({ name: 'Sale', assets }, fileOf('logo.png'));
  t.deepEqual(
    files.map((one) => [one.path, one.assets]),
    [['logo.png', [0, 2]]],
  );
  const uploads = new Map([
    [0, 'upload_1'],
    [2, 'upload_1'],
  ]);
  t.deepEqual(documentWithUploads(document, uploads), {
    name: 'Sale',
    assets: [
      { id: 'a', kind: 'image', upload: 'upload_1', file_name: 'Our logo.png' },
      { id: 'b', kind: 'image', sha256: 'ab' },
      { id: 'c', kind: 'image', upload: 'upload_1' },
    ],
  });
});

test('a ZIP bomb is refused before it is unpacked', async (t) => {
  const bomb = await zipOf({ 'project.json': '{}', 'film.mp4': new Uint8Array(17 * 2 ** 20) });
  t.true(bomb.length < 100_000);
  await t.throwsAsync(readZip(new Blob([new Uint8Array(bomb)])), {
    message: /film\.mp4” unpacks to more than 200 times/,
  });
  const many = new Blob([new Uint8Array(await zipOf({ 'project.json': '{}', 'a.png': 'a', 'b.png': 'b' }))]);
  await t.throwsAsync(readZip(many, 2), { message: /more than 2 files/ });
});

test('a file that is larger than its ZIP file states is not unpacked', async (t) => {
  const size = (bytes: number): string => Buffer.from(Uint32Array.of(bytes).buffer).toString('latin1');
  const zip = await zipOf({ 'film.mp4': 'a'.repeat(1_234_567) });
  const [file] = await readZip(replaced(zip, size(1_234_567), size(1_000)));
  t.is(file?.size_bytes, 1_000);
  await t.throwsAsync(file?.read() ?? Promise.resolve(), { name: 'FolderFault' });
});

test('a damaged ZIP file and a file of another kind are refused', async (t) => {
  await t.throwsAsync(readZip(new Blob(['not a ZIP file'])), { message: /^This is not a ZIP file/ });
  const zip = await zipOf({ 'logo.svg': 'abcdefgh' }, 0);
  const [file] = await readZip(replaced(zip, 'abc', 'abd'));
  await t.throwsAsync(file?.read() ?? Promise.resolve(), { message: /damaged/ });
});

test('the paths of a ZIP file are checked as those of a folder', async (t) => {
  const zip = await zipOf({ 'project.json': '{}', 'aa/aa/logo.png': 'x' });
  for (const [path, fault] of [
    ['../../logo.png', /leads out/],
    ['aa\\aa/logo.png', /backslash/],
    ['/aaaaa/logo.pn', /absolute/],
    ['project.json', /two files/],
  ] as const) {
    const files = await readZip(replaced(zip, 'aa/aa/logo.png'.slice(0, path.length), path));
    t.throws(() => projectFiles(files.map((one) => ({ ...one, path: one.path.slice(0, path.length) }))), {
      message: fault,
    });
  }
});
