import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { assetIdOf, readAssets } from '../../../cli/catalogue/asset-files.ts';

const NONE = { id: null, kind: null };

for (const [file, id] of [
  ['logo.png', 'logo'],
  ['/a/b.c/Fjell logo (2).PNG', 'Fjell-logo-2'],
  ['Größe – Übersicht.jpg', 'Gro-e-Ubersicht'],
  ['archive.tar.gif', 'archive-tar'],
  [`${'x'.repeat(80)}.png`, 'x'.repeat(64)],
  ['日本.png', ''],
] as const)
  test(`${file} is named "${id}"`, (t) => t.is(assetIdOf(file), id));

test('a file whose name hides its ending is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assets '));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'photo\u202egpj.png');
  await writeFile(file, 'a');
  const read = await readAssets([file], { id: 'photo', kind: null });
  t.deepEqual(E.isLeft(read) && read.left.tag === 'invalid_files' ? read.left.faults : [], [
    `${file}: has an invalid name, which must not contain characters that turn the direction of text (U+202E at position 6); rename the file`,
  ]);
});

test('several files are read, links are followed, and equal names are distinguished', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assets '));
  t.teardown(() => rm(folder, { recursive: true }));
  const [song, logo, other, link] = ['song.mp3', 'logo.png', 'logo.jpg', 'linked.png'].map((name) =>
    join(folder, name),
  );
  if (song === undefined || logo === undefined || other === undefined || link === undefined) return t.fail();
  await Promise.all([writeFile(song, 'a'), writeFile(logo, 'b'), writeFile(other, 'c'), symlink(logo, link)]);
  const read = await readAssets([song, logo, link], NONE);
  t.deepEqual(E.isRight(read) && read.right.map(({ stored }) => [stored.id, stored.kind, stored.file_name]), [
    ['song', 'audio', 'song.mp3'],
    ['logo', 'image', 'logo.png'],
    ['linked', 'image', 'linked.png'],
  ]);
  const named = await readAssets([song], { id: 'tune', kind: 'audio' });
  t.is(E.isRight(named) ? named.right[0]?.stored.id : null, 'tune');
  const twice = await readAssets([logo, other], NONE);
  t.regex(
    E.isLeft(twice) && twice.left.tag === 'invalid_files' ? (twice.left.faults[0] ?? '') : '',
    /has the same id "logo" as .*; add them one by one with --id/,
  );
});
