import test from 'ava';
import * as io from 'io-ts';
import { Integer } from '../../../domain/event/integer.ts';
import { avroRecord, type NestedRecords } from '../../../schemas/avro.ts';

const Inner = io.strict({ id: io.string });
const INNER = { full_name: 'tests.Inner', doc: { doc: 'What is inside.', fields: { id: 'Its id.' } } };
const NESTED: NestedRecords = new Map([[Inner, INNER]]);
const docsOf = (...names: readonly string[]) => ({
  doc: 'A sample.',
  fields: Object.fromEntries(names.map((name) => [name, `The ${name}.`])),
});

test('a schema follows its codec: fields in order, with defaults where possible', (t) => {
  const codec = io.strict({
    type: io.literal('Sample'),
    sample_id: io.string,
    name: io.string,
    count: Integer,
    done: io.boolean,
    role: io.keyof({ admin: null }),
    note: io.union([io.string, io.null]),
    inner: Inner,
    others: io.array(Inner),
    at: Integer,
    ended_at: io.union([Integer, io.null]),
  });
  const docs = docsOf('sample_id', 'name', 'count', 'done', 'role', 'note', 'inner', 'others');
  const time = { type: 'long', logicalType: 'timestamp-millis' } as const;
  const fields = {
    ...docs.fields,
    at: { doc: 'When.', is_time: true } as const,
    ended_at: { doc: 'When; null until then.', is_time: true } as const,
  };
  const inner = {
    type: 'record',
    name: 'Inner',
    namespace: 'tests',
    doc: 'What is inside.',
    fields: [{ name: 'id', doc: 'Its id.', type: 'string' }],
  } as const;
  t.deepEqual(avroRecord(codec, { full_name: 'tests.of.Sample', doc: { doc: docs.doc, fields } }, NESTED), {
    type: 'record',
    name: 'Sample',
    namespace: 'tests.of',
    doc: 'A sample.',
    fields: [
      { name: 'sample_id', doc: 'The sample_id.', type: 'string' },
      { name: 'name', doc: 'The name.', type: 'string', default: '' },
      { name: 'count', doc: 'The count.', type: 'long', default: 0 },
      { name: 'done', doc: 'The done.', type: 'boolean', default: false },
      { name: 'role', doc: 'The role.', type: 'string', default: '' },
      { name: 'note', doc: 'The note.', type: ['null', 'string'], default: null },
      { name: 'inner', doc: 'The inner.', type: inner },
      { name: 'others', doc: 'The others.', type: { type: 'array', items: inner }, default: [] },
      { name: 'at', doc: 'When.', type: time, default: 0 },
      { name: 'ended_at', doc: 'When; null until then.', type: ['null', time], default: null },
    ],
  });
});

test('a codec without an Avro type is refused', (t) => {
  for (const codec of [io.number, io.unknown, io.union([io.string, Integer]), io.strict({ id: io.string })]) {
    const record = { full_name: 'tests.Sample', doc: docsOf('field') };
    t.throws(() => avroRecord(io.strict({ field: codec }), record, NESTED), { message: /has no Avro type/ });
  }
});

test('a field without an explanation is refused', (t) => {
  const record = { full_name: 'tests.Sample', doc: docsOf('other') };
  t.throws(() => avroRecord(io.strict({ field: io.string }), record, NESTED), { message: 'field has no doc' });
});
