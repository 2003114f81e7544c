import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { readStarters } from '../../../catalogue/starters/starters.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';

const starters = readStarters();

/** The starters are part of each installation and of each new project. */
const MAX_BYTES = 1_500_000;

test('each starter renders with its default values', (t) => {
  t.is(starters.size, 8);
  for (const [id, { document, description }] of starters) {
    const [template] = document.templates;
    const final = composeFinal(document, template?.id ?? null, {});
    t.true(E.isRight(final), `${id}: ${JSON.stringify(final)}`);
    t.true(description.length > 0, id);
  }
});

test('each field of a starter has a label and a widget', (t) => {
  for (const [id, { document }] of starters)
    for (const { fields } of document.templates) {
      t.true(fields.length >= 5, id);
      for (const { key, label, widget } of fields) t.true(label !== null && widget !== null, `${id} ${key}`);
    }
});

test('the recorded facts of starters are those of their files', (t) => {
  let total = 0;
  for (const [id, { files }] of starters)
    for (const { path, stored } of files) {
      total += stored.size_bytes;
      const message = `${id} ${stored.file_name}: node docs/starters/write-facts.ts`;
      t.is(statSync(path).size, stored.size_bytes, message);
      t.is(createHash('sha256').update(readFileSync(path)).digest('hex'), stored.sha256, message);
    }
  t.true(total < MAX_BYTES, `${total} bytes`);
});
