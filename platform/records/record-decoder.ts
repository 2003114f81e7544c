import avsc from 'avsc';
import { isRight } from 'fp-ts/lib/Either.js';
import type { AnyRecord, RecordType } from '../../schemas/any-record.ts';
import { type RecordDefinition, recordNamed, recordOfType } from '../../schemas/records.ts';
import { messageOf } from '../logging/message-of.ts';
import type { Decoded } from './record-log.ts';

/**
 * Converts decoded Avro records, which are instances of classes, to plain data. This runs for every record, so it
 * builds no list of members. Our schemas have no maps, so all names of members are our own.
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

/** Decodes records of one writer schema. Made once for each schema, because resolving it is the costly part. */
export type PayloadDecoder = (payload: Buffer) => Decoded;

/** The reader's type of each record is built once: the client library would build it again for every record. */
const READERS = new Map<string, avsc.Type>();

const readerOf = ({ full_name, avro }: RecordDefinition): avsc.Type => {
  const known = READERS.get(full_name);
  if (known !== undefined) return known;
  const reader = avsc.Type.forSchema(JSON.parse(JSON.stringify(avro)));
  READERS.set(full_name, reader);
  return reader;
};

const WRITERS = new Map<RecordType, avsc.Type>();

/** A record in Avro, under exactly our schema of it. Throws if it does not fit. */
export const payloadOf = (record: AnyRecord): Buffer => {
  const writer = WRITERS.get(record.type) ?? readerOf(recordOfType(record.type));
  WRITERS.set(record.type, writer);
  return writer.toBuffer(record);
};

/** Bytes that we cannot read are poison if they do not fit the schema that they name. */
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
    return (payload) => unreadable(writer, payload, `no record called ${name} is known here`);
  }
  const reader = readerOf(definition);
  let resolver: ReturnType<avsc.Type['createResolver']>;
  try {
    resolver = reader.createResolver(writer);
  } catch (error) {
    return (payload) =>
      unreadable(writer, payload, `its schema of ${name} is not one that we read: ${messageOf(error)}`);
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
    return { tag: 'unknown', reason: `${name} says what we do not understand, in ${where.join(', ')}` };
  };
};
