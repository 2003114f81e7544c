import test from 'ava';
import avsc from 'avsc';
import { parseFrame } from '../../../platform/records/frame.ts';
import { payloadDecoder } from '../../../platform/records/record-decoder.ts';
import { RECORDS } from '../../../schemas/records.ts';
import { SAMPLES } from '../../helpers/record-samples.ts';

const schemaOf = (type: string): string => JSON.stringify(RECORDS.find((record) => record.type === type)?.avro);
const bytesOf = (schema: string, value: unknown): Buffer => avsc.Type.forSchema(JSON.parse(schema)).toBuffer(value);

const withField = (schema: string, field: unknown): string => {
  const parsed = JSON.parse(schema);
  return JSON.stringify({ ...parsed, fields: [...parsed.fields, field] });
};

test('every sample decodes to plain data', (t) => {
  for (const sample of SAMPLES) {
    const schema = schemaOf(sample.type);
    t.deepEqual(payloadDecoder(schema)(bytesOf(schema, sample)), { tag: 'record', record: sample });
  }
});

test('bytes without the Confluent frame have no schema id', (t) => {
  t.is(parseFrame(null), undefined);
  t.is(parseFrame(Buffer.from([0, 0, 0, 1])), undefined);
  t.is(parseFrame(Buffer.from('{"a":1}')), undefined);
  t.deepEqual(parseFrame(Buffer.from([0, 0, 0, 1, 2, 9])), { schema_id: 258, payload: Buffer.from([9]) });
});

test('bytes that do not fit their own schema are poison', (t) => {
  const [sample] = SAMPLES;
  const schema = schemaOf(sample?.type ?? '');
  const whole = bytesOf(schema, sample);
  t.is(payloadDecoder(schema)(whole.subarray(0, whole.length - 1)).tag, 'poison');
  t.is(payloadDecoder(schema)(Buffer.concat([whole, Buffer.from([1])])).tag, 'poison');
  t.is(payloadDecoder(schema)(Buffer.alloc(0)).tag, 'poison');
});

test('a later schema with extra members is read, and the extra members are dropped', (t) => {
  const sample = SAMPLES.find(({ type }) => type === 'AttemptLost');
  const schema = withField(schemaOf('AttemptLost'), { name: 'later', type: ['null', 'string'], default: null });
  const bytes = bytesOf(schema, { ...sample, later: 'new' });
  t.deepEqual(payloadDecoder(schema)(bytes), { tag: 'record', record: sample });
});

test('a record of an unknown type is unknown, or poison if undecodable', (t) => {
  const schema = JSON.stringify({
    type: 'record',
    name: 'Later',
    namespace: 'rendering.events',
    fields: [{ name: 'a', type: 'string' }],
  });
  const decode = payloadDecoder(schema);
  t.like(decode(bytesOf(schema, { a: 'x' })), { tag: 'unknown' });
  t.like(decode(Buffer.from([200, 1])), { tag: 'poison' });
});

test('a valid record with a schema that ours cannot read is unknown', (t) => {
  const type = 'RenderProgressed';
  const parsed = JSON.parse(schemaOf(type));
  const fields = parsed.fields.map((field: { name: string }) =>
    field.name === 'frames_done' ? { name: 'frames_done', type: 'string' } : field,
  );
  const schema = JSON.stringify({ ...parsed, fields });
  const sample = SAMPLES.find((one) => one.type === type);
  t.like(payloadDecoder(schema)(bytesOf(schema, { ...sample, frames_done: 'many' })), { tag: 'unknown' });
});
