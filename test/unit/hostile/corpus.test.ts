import { createHash } from 'node:crypto';
import test from 'ava';
import { makeBases } from '../../hostile/bases.ts';
import { bytesOf, HOSTILE } from '../../hostile/corpus.ts';
import { CATEGORIES, FORMATS, type HostileFile } from '../../hostile/hostile-file.ts';

const CANARY = { canary_file: '/srv/canary/secret.png', canary_url: 'http://127.0.0.1:9/canary/' };
const LARGEST_BYTES = 2 * 2 ** 20;

const bases = makeBases();
const made = bases.then((them) => HOSTILE.map((file) => ({ ...file, bytes: bytesOf(file, CANARY, them) })));
/** The number of files that are compared over two runs. */
const SAMPLE = 12;

const countedBy = (key: (file: HostileFile) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const file of HOSTILE) counts.set(key(file), (counts.get(key(file)) ?? 0) + 1);
  return counts;
};

test('each file has its own name within its format', (t) => {
  t.is(new Set(HOSTILE.map(({ name }) => name)).size, HOSTILE.length);
  for (const { name, format } of HOSTILE) t.regex(name, new RegExp(`^${format}/[a-z0-9-]+$`));
});

test('each format has at least twenty files and every attack', (t) => {
  const formats = countedBy(({ format }) => format);
  for (const format of FORMATS) t.true((formats.get(format) ?? 0) >= 20, `${format}: ${formats.get(format)}`);
  const categories = countedBy(({ category }) => category);
  for (const category of CATEGORIES)
    t.true((categories.get(category) ?? 0) >= 10, `${category}: ${categories.get(category)}`);
  for (const kind of ['image', 'video', 'audio', 'font'])
    t.true(
      HOSTILE.some((file) => file.kind === kind && file.expects === 'refused'),
      kind,
    );
  t.true(HOSTILE.length >= 500);
});

test('each file is small and different from all others', async (t) => {
  t.timeout(240_000);
  const names = new Map<string, string>();
  for (const { name, kind, ending, large, bytes } of await made) {
    t.true(large || bytes.length <= LARGEST_BYTES, `${name}: ${bytes.length} bytes`);
    const content = `${kind} ${ending} ${createHash('sha256').update(bytes).digest('hex')}`;
    t.is(names.get(content), undefined, name);
    names.set(content, name);
  }
});

test('a file is the same each time', async (t) => {
  t.timeout(240_000);
  for (const [index, { bytes, ...file }] of (await made).entries())
    if (index % SAMPLE === 0) t.true(bytesOf(file, CANARY, await bases).equals(bytes), file.name);
});

test('the bases are the same each time', async (t) => {
  t.timeout(240_000);
  const [first, second] = [await bases, await makeBases()];
  for (const [name, bytes] of Object.entries(first)) t.true(second[name as keyof typeof second].equals(bytes), name);
});

test('files with outside references name the canary', async (t) => {
  const other = { canary_file: '/srv/another/secret.png', canary_url: 'http://127.0.0.1:8/another/' };
  for (const { bytes, ...file } of await made)
    if (file.reaches) t.false(bytesOf(file, other, await bases).equals(bytes), file.name);
});
