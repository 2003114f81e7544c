import avsc from 'avsc';
import { isRight } from 'fp-ts/lib/Either.js';
import type { AnyRecord, RecordType } from '../../schemas/any-record.ts';
import { type RecordDefinition, recordNamed, recordOfType } from '../../schemas/records.ts';
import { messageOf } from '../logging/message-of.ts';
import type { Decoded } from './record-log.ts';

/**
 * The Avro library returns instances of classes; this makes plain data. It runs for every record, so it builds no list
 * of members. Our schemas have no maps, so all member names are our own.
 */
const plain = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (Buffer.isBuffer(value)) return value;
  const members = Object(value);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(members)) result[key] = plain(members[key]);
  return result;
};

/** Each writer schema has one decoder, because resolving the schema is the costly part. */
export type PayloadDecoder = (payload: Buffer) => Decoded;

/** Each record type has one reader, because the client library would build one for every record. */
const READERS = new Map<string, avsc.Type>();

const readerOf = ({ full_name, avro }: RecordDefinition): avsc.Type => {
  const known = READERS.get(full_name);
  if (known !== undefined) return known;
  const reader = avsc.Type.forSchema(JSON.parse(JSON.stringify(avro)));
  READERS.set(full_name, reader);
  return reader;
};

const WRITERS = new Map<RecordType, avsc.Type>();

/** Throws if the record does not fit exactly our schema. */
export const encodePayload = (record: AnyRecord): Buffer => {
  const writer = WRITERS.get(record.type) ?? readerOf(recordOfType(record.type));
  WRITERS.set(record.type, writer);
  return writer.toBuffer(record);
};

/** A record is poison only if its bytes do not fit the schema that they name. */
const unreadable = (writer: avsc.Type, payload: Buffer, reason: string): Decoded => {
  try {
    writer.fromBuffer(payload);
    return { tag: 'unknown', reason };
  } catch (error) {
    return { tag: 'poison', reason: `not decodable under its own schema ${writer.name ?? ''}: ${messageOf(error)}` };
  }
};

/** @param schema the writer's schema of the registry, as JSON text */
export const payloadDecoder = (schema: string): PayloadDecoder => {
  const writer = avsc.Type.forSchema(JSON.parse(schema));
  const name = writer.name ?? 'without a name';
  const definition = recordNamed(name);
  if (definition === undefined) {
    return (payload) => unreadable(writer, payload, `this version does not know the record ${name}`);
  }
  const reader = readerOf(definition);
  let resolver: ReturnType<avsc.Type['createResolver']>;
  try {
    resolver = reader.createResolver(writer);
  } catch (error) {
    return (payload) =>
      unreadable(writer, payload, `this version cannot read its schema of ${name}: ${messageOf(error)}`);
  }
  return (payload) => {
    let content: unknown;
    try {
      content = reader.fromBuffer(payload, resolver);
    } catch (error) {
      return unreadable(writer, payload, `${name}: ${messageOf(error)}`);
    }
    const fields = plain(content);
    const decoded = definition.codec.decode({ ...(typeof fields === 'object' ? fields : {}), type: definition.type });
    if (isRight(decoded)) return { tag: 'record', record: decoded.right };
    const where = decoded.left.map(({ context }) =>
      context
        .map(({ key }) => key)
        .join('.')
        .replace(/^\./, ''),
    );
    return { tag: 'unknown', reason: `${name} has values that this version does not know, in ${where.join(', ')}` };
  };
};
