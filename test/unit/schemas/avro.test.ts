import test from 'ava';
import * as io from 'io-ts';
import { Integer } from '../../../domain/event/integer.ts';
import { avroRecord, type NestedNames } from '../../../schemas/avro.ts';

const Inner = io.strict({ id: io.string });
const NAMES: NestedNames = new Map<io.Mixed, string>([[Inner, 'tests.Inner']]);

test('a record is derived from its codec: fields in their order, with defaults where they can have one', (t) => {
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
  });
  const inner = {
    type: 'record',
    name: 'Inner',
    namespace: 'tests',
    fields: [{ name: 'id', type: 'string' }],
  } as const;
  t.deepEqual(avroRecord(codec, 'tests.of.Sample', NAMES), {
    type: 'record',
    name: 'Sample',
    namespace: 'tests.of',
    fields: [
      { name: 'sample_id', type: 'string' },
      { name: 'name', type: 'string', default: '' },
      { name: 'count', type: 'long', default: 0 },
      { name: 'done', type: 'boolean', default: false },
      { name: 'role', type: 'string', default: '' },
      { name: 'note', type: ['null', 'string'], default: null },
      { name: 'inner', type: inner },
      { name: 'others', type: { type: 'array', items: inner }, default: [] },
    ],
  });
});

test('what has no Avro type is refused, not guessed', (t) => {
  for (const codec of [io.number, io.unknown, io.union([io.string, Integer]), io.strict({ id: io.string })]) {
    t.throws(() => avroRecord(io.strict({ field: codec }), 'tests.Sample', NAMES), { message: /has no Avro type/ });
  }
});
