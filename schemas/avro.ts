import * as t from 'io-ts';
import { Integer } from '../domain/event/integer.ts';

export type AvroType = string | readonly AvroType[] | AvroArray | AvroTime | AvroRecord;

type AvroArray = { readonly type: 'array'; readonly items: AvroType };

/** A time. Readers that do not support logical types read a plain long, in milliseconds since the epoch. */
type AvroTime = { readonly type: 'long'; readonly logicalType: 'timestamp-millis' };

const TIME: AvroTime = { type: 'long', logicalType: 'timestamp-millis' };

export type AvroField = {
  readonly name: string;
  readonly doc?: string;
  readonly type: AvroType;
  readonly default?: null | 0 | '' | false | readonly [];
};

export type AvroRecord = {
  readonly type: 'record';
  readonly name: string;
  readonly namespace: string;
  readonly doc?: string;
  readonly fields: readonly AvroField[];
};

/** Meaning of a field, and of null if it is nullable. Times are milliseconds since the epoch. */
export type FieldDoc = string | { readonly doc: string; readonly is_time: true };

export type RecordDoc = { readonly doc: string; readonly fields: Readonly<Record<string, FieldDoc>> };

export type NamedRecord = { readonly full_name: string; readonly doc: RecordDoc };

export type NestedRecords = ReadonlyMap<t.Mixed, NamedRecord>;

export const nullable = (type: AvroType): AvroType => ['null', type];

export const isRecord = (type: AvroType): type is AvroRecord =>
  typeof type === 'object' && !Array.isArray(type) && 'fields' in type;

/**
 * The default of a field. The compatibility mode FULL_TRANSITIVE forbids dropping a field without a default. So all
 * fields have one, except ids and nested records.
 */
const defaultOf = (name: string, type: AvroType): Pick<AvroField, 'default'> => {
  if (Array.isArray(type)) return { default: null };
  if (name === 'id' || name.endsWith('_id') || isRecord(type)) return {};
  if (type === 'string') return { default: '' };
  if (type === 'long' || type === TIME) return { default: 0 };
  if (type === 'boolean') return { default: false };
  return { default: [] };
};

const propsOf = (codec: t.Mixed): t.Props => {
  if (codec instanceof t.ExactType && codec.type instanceof t.InterfaceType) return codec.type.props;
  throw new TypeError(`${codec.name} is no t.strict: it has no Avro record`);
};

/**
 * Whether the Avro type is a string. Kinds, stages and reasons are strings and not enums, so that a new value breaks no
 * reader.
 */
const isText = (codec: t.Mixed): boolean => codec instanceof t.StringType || codec instanceof t.KeyofType;

const typeOf = (codec: t.Mixed, nested: NestedRecords): AvroType => {
  if (isText(codec)) return 'string';
  if (codec === Integer) return 'long';
  if (codec instanceof t.BooleanType) return 'boolean';
  if (codec instanceof t.ArrayType) return { type: 'array', items: typeOf(codec.type, nested) };
  if (codec instanceof t.UnionType) {
    const [type, none, ...others]: readonly t.Mixed[] = codec.types;
    if (type !== undefined && none instanceof t.NullType && others.length === 0) return nullable(typeOf(type, nested));
  }
  const record = nested.get(codec);
  if (record === undefined) throw new TypeError(`${codec.name} has no Avro type: give it a name, or use another codec`);
  return avroRecord(codec, record, nested);
};

const asTime = (type: AvroType): AvroType => (type === 'long' ? TIME : nullable(TIME));

const fieldOf = (name: string, fieldDoc: FieldDoc | undefined, plain: AvroType): AvroField => {
  if (fieldDoc === undefined) throw new TypeError(`${name} has no doc`);
  const type = typeof fieldDoc === 'string' ? plain : asTime(plain);
  return { name, doc: typeof fieldDoc === 'string' ? fieldDoc : fieldDoc.doc, type, ...defaultOf(name, type) };
};

/** The Avro schema of a codec, with its fields in order. The member `type` is the record's name, not a field. */
export const avroRecord = (
  codec: t.Mixed,
  { full_name, doc: { doc, fields: docs } }: NamedRecord,
  nested: NestedRecords,
): AvroRecord => {
  const end_of_namespace = full_name.lastIndexOf('.');
  const fields = Object.entries(propsOf(codec)).filter(([, type]) => !(type instanceof t.LiteralType));
  return {
    type: 'record',
    name: full_name.slice(end_of_namespace + 1),
    namespace: full_name.slice(0, end_of_namespace),
    doc,
    fields: fields.map(([name, of_field]) => fieldOf(name, docs[name], typeOf(of_field, nested))),
  };
};

export const nestedRecordsIn = (type: AvroType): readonly AvroRecord[] => {
  if (typeof type === 'string') return [];
  if (isRecord(type)) return [type, ...type.fields.flatMap((field) => nestedRecordsIn(field.type))];
  if ('items' in type) return nestedRecordsIn(type.items);
  return 'logicalType' in type ? [] : type.flatMap(nestedRecordsIn);
};

/** Avro allows one definition of a name per schema, so later uses become the full name. */
export const withNamesDefinedOnce = (type: AvroType, seen: Set<string> = new Set()): AvroType => {
  if (typeof type === 'string') return type;
  if (isRecord(type)) {
    const name = `${type.namespace}.${type.name}`;
    if (seen.has(name)) return name;
    seen.add(name);
    return {
      ...type,
      fields: type.fields.map((field) => ({ ...field, type: withNamesDefinedOnce(field.type, seen) })),
    };
  }
  if ('items' in type) return { type: 'array', items: withNamesDefinedOnce(type.items, seen) };
  if ('logicalType' in type) return type;
  return type.map((member) => withNamesDefinedOnce(member, seen));
};
