import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { FORMS } from './_forms/table.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FOLDERS = [
  'platform',
  'read-models',
  'command-api',
  'query-api',
  'management-api',
  'projectors',
  'render-workers',
  'webhook-relay',
  'retention',
  'notary',
  'catalogue',
  'cli',
];

/** Calls of the driver, and parts of bulk writes, found by text search. */
const CALLS = [
  /\.(findOne|bulkWrite|updateOne|updateMany|insertOne|insertMany|replaceOne|deleteOne|deleteMany|findOneAnd[A-Z]\w+)\(/,
  /\.(countDocuments|estimatedDocumentCount|distinct|createIndex|createIndexes|createCollection|listCollections|watch)\(/,
  /\.aggregate(<[^(]*>)?\(/,
  /\.find\(\s*(\{|\)|filter\b)/,
  /\b(updateOne|updateMany|replaceOne|insertOne|deleteOne|deleteMany): \{/,
  /\.command\(\{/,
];

const inUse = globSync(
  FOLDERS.map((folder) => `${folder}/**/*.ts`),
  { cwd: ROOT },
)
  .filter((file) => CALLS.some((call) => call.test(readFileSync(join(ROOT, file), 'utf8'))))
  .sort();

const named = new Set(
  Object.values(FORMS)
    .flat()
    .flatMap(({ used_by }) => used_by),
);

test('the table names every file that calls the driver', (t) => {
  t.deepEqual(
    inUse.filter((file) => !named.has(file)),
    [],
    'give each form that it uses a line in _forms',
  );
});

test('every file that the table names exists', (t) => {
  const there = new Set(
    globSync(
      FOLDERS.map((folder) => `${folder}/**/*.ts`),
      { cwd: ROOT },
    ),
  );
  t.deepEqual([...named].filter((file) => !there.has(file)).sort(), []);
});

test('form names are unique within a theme', (t) => {
  for (const [theme, forms] of Object.entries(FORMS))
    t.is(new Set(forms.map(({ name }) => name)).size, forms.length, theme);
});
