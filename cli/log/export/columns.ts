import { AVRO_NAMESPACES } from '../../../platform/records/namespaces.ts';
import type { AnyRecord, RecordType } from '../../../schemas/any-record.ts';
import { type AvroType, isRecord } from '../../../schemas/avro.ts';
import { avroOf, RECORDS } from '../../../schemas/records.ts';
import { sqlName } from '../duckdb.ts';
import { EXPORTED_TOPICS } from './exported-topics.ts';

const PLACE_COLUMNS = [
  ['log_topic', 'VARCHAR'],
  ['log_partition', 'INTEGER'],
  ['log_offset', 'BIGINT'],
  ['log_time', 'TIMESTAMPTZ'],
  ['log_key', 'VARCHAR'],
] as const;

export type RecordPlaceColumns = {
  readonly log_topic: string;
  readonly log_partition: number;
  readonly log_offset: number;
  /** ISO 8601; null for a time that ISO 8601 cannot express. */
  readonly log_time: string | null;
  readonly log_key: string | null;
};

export type TableColumns = readonly (readonly [name: string, type: string])[];

export const UNREADABLE_TABLE = 'Unreadable';

const UNREADABLE_COLUMNS: TableColumns = [...PLACE_COLUMNS, ['reason', 'VARCHAR']];

const SQL_TYPES: Readonly<Record<string, string>> = { string: 'VARCHAR', long: 'BIGINT', boolean: 'BOOLEAN' };

const sqlType = (type: AvroType): string => {
  if (typeof type === 'string') return SQL_TYPES[type] ?? 'VARCHAR';
  if (isRecord(type))
    return `STRUCT(${type.fields.map((one) => `${sqlName(one.name)} ${sqlType(one.type)}`).join(', ')})`;
  if ('items' in type) return `${sqlType(type.items)}[]`;
  if ('logicalType' in type) return 'TIMESTAMPTZ';
  return type
    .filter((one) => one !== 'null')
    .map(sqlType)
    .join();
};

export type TableName = RecordType | typeof UNREADABLE_TABLE;

export const EXPORTED_TYPES: readonly { readonly type: RecordType; readonly namespace: string }[] = RECORDS.flatMap(
  ({ type, full_name }) => {
    const namespace = full_name.slice(0, full_name.lastIndexOf('.'));
    return EXPORTED_TOPICS.some((topic) => AVRO_NAMESPACES[topic] === namespace) ? [{ type, namespace }] : [];
  },
);

export const columnsOf = (table: TableName): TableColumns =>
  table === UNREADABLE_TABLE
    ? UNREADABLE_COLUMNS
    : [...PLACE_COLUMNS, ...avroOf(table).fields.map(({ name, type }) => [name, sqlType(type)] as const)];

/** A query with the table's columns and no rows. */
export const emptyTable = (table: TableName): string =>
  `SELECT ${columnsOf(table)
    .map(([name, type]) => `NULL::${type} AS ${sqlName(name)}`)
    .join(', ')} WHERE false`;

const LAST_INSTANT_MS = 253_402_300_799_999;

/** Null for a time that ISO 8601 cannot express. */
export const isoTime = (at_ms: unknown): string | null =>
  typeof at_ms === 'number' && Math.abs(at_ms) <= LAST_INSTANT_MS ? new Date(at_ms).toISOString() : null;

type Convert = (value: unknown) => unknown;

/** How a value is converted for its column; null if it needs no conversion. */
const conversionOf = (type: AvroType): Convert | null => {
  if (typeof type === 'string') return null;
  if (isRecord(type)) {
    const converted = type.fields.flatMap((field) => {
      const convert = conversionOf(field.type);
      return convert === null ? [] : [[field.name, convert] as const];
    });
    if (converted.length === 0) return null;
    return (value) => {
      const members: Record<string, unknown> = { ...(typeof value === 'object' ? value : {}) };
      for (const [name, convert] of converted) members[name] = convert(members[name]);
      return members;
    };
  }
  if ('items' in type) {
    const convert = conversionOf(type.items);
    return convert === null ? null : (value) => (Array.isArray(value) ? value.map(convert) : value);
  }
  if ('logicalType' in type) return isoTime;
  const [convert] = type.flatMap((one) => conversionOf(one) ?? []);
  return convert === undefined ? null : (value) => (value === null ? null : convert(value));
};

const CONVERSIONS = new Map<RecordType, Convert>();

/** One line of JSON, as DuckDB reads it into the table of the record's type. */
export const jsonRowOf = (place: RecordPlaceColumns, record: AnyRecord): string => {
  const convert = CONVERSIONS.get(record.type) ?? conversionOf(avroOf(record.type)) ?? ((value) => value);
  CONVERSIONS.set(record.type, convert);
  return `${JSON.stringify(Object.assign({ ...place }, convert(record)))}\n`;
};
