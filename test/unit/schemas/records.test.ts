import test from 'ava';
import avsc from 'avsc';
import { isRight } from 'fp-ts/lib/Either.js';
import { nestedRecordsIn } from '../../../schemas/avro.ts';
import { storedSchemaVersions } from '../../../schemas/avro-history.ts';
import { avroOf, RECORDS } from '../../../schemas/records.ts';
import { SAMPLES, sampleOf } from '../../helpers/record-samples.ts';

for (const { type, full_name, avro, codec } of RECORDS) {
  const schema = JSON.stringify(avro);

  test(`${full_name}: every sample survives Avro unchanged`, (t) => {
    const wire = avsc.Type.forSchema(JSON.parse(schema));
    const samples = SAMPLES.filter((sample) => sample.type === type);
    t.true(samples.length > 0, 'a sample exists');
    for (const sample of samples) {
      const { type: _, ...content } = sample;
      const read = codec.decode({ ...wire.fromBuffer(wire.toBuffer(content)), type });
      t.true(isRight(read));
      if (isRight(read)) t.deepEqual(structuredClone(read.right), sample);
    }
  });

  test(`${full_name}: the Avro fields are those of the domain`, (t) => {
    const { type: _, ...content } = sampleOf(type) ?? { type };
    const fields: unknown = JSON.parse(schema).fields.map((field: { name: string }) => field.name);
    t.deepEqual(
      fields,
      Object.keys(content).toSorted((a, b) => order(fields, a) - order(fields, b)),
    );
  });

  test(`${full_name}: the written schema is the one in the code`, (t) => {
    const last = storedSchemaVersions(full_name).at(-1);
    t.is(last?.text, `${JSON.stringify(avro, null, 2)}\n`, 'run: node schemas/write-avro.ts');
  });
}

for (const { type, full_name, avro } of RECORDS)
  test(`${full_name}: readers of every version read today's records, with times as plain numbers`, (t) => {
    const writer = avsc.Type.forSchema(JSON.parse(JSON.stringify(avro)));
    for (const { version, text } of storedSchemaVersions(full_name)) {
      const reader = avsc.Type.forSchema(JSON.parse(text));
      const resolver = reader.createResolver(writer);
      for (const sample of SAMPLES.filter((one) => one.type === type)) {
        const { type: _, ...content } = sample;
        const read: unknown = reader.fromBuffer(writer.toBuffer(content), resolver);
        t.like(content, structuredClone(read) as object, `version ${version}`);
      }
    }
  });

const TIMES = /_at$|_until$|^at$|^enabled_since$/;

for (const { type, full_name } of RECORDS)
  test(`${full_name}: nullable members explain null, and times are described as such`, (t) => {
    for (const { name, doc = '', type: of_field } of nestedRecordsIn(avroOf(type)).flatMap(({ fields }) => fields)) {
      t.is(/\bnull\b/.test(doc), Array.isArray(of_field), `${name}: ${doc}`);
      const plain = Array.isArray(of_field) ? of_field[1] : of_field;
      t.is(typeof plain === 'object' && 'logicalType' in plain, TIMES.test(name), name);
    }
  });

const order = (fields: unknown, name: string): number => (Array.isArray(fields) ? fields.indexOf(name) : -1);
