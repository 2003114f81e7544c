import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readMp4 } from '../../../engine/encode/mp4.ts';

const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};
const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

const MANY = 2 ** 32 - 1;
const LYING = box(
  'moov',
  box(
    'trak',
    box(
      'mdia',
      box('hdlr', words(0, 0), Buffer.from('vide')),
      box('minf', box('stbl', box('stsz', words(0, 1, MANY)), box('stts', words(0, 1, MANY, 1)))),
    ),
  ),
);

const FREE = Buffer.concat(Array.from({ length: 400_000 }, () => box('free')));

test('a fragment with excessive sample counts takes bounded memory', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mp4-film-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const before = process.memoryUsage().rss;
  const files = {
    counts: LYING,
    boxes: FREE,
    boxes_within: box('moov', FREE),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(folder, name);
    await writeFile(file, bytes);
    const film = await readMp4(file);
    t.true((film?.video.times.length ?? 0) <= 2 ** 22, name);
  }
  t.true(process.memoryUsage().rss - before < 300 * 2 ** 20);
});
