/** The part of Avro's schema language that our records use. */
export type AvroType = string | readonly AvroType[] | AvroArray | AvroRecord;

type AvroArray = { readonly type: 'array'; readonly items: AvroType };

export type AvroField = {
  readonly name: string;
  readonly type: AvroType;
  readonly default?: null | 0 | '' | false | readonly [];
};

export type AvroRecord = {
  readonly type: 'record';
  readonly name: string;
  readonly namespace: string;
  readonly fields: readonly AvroField[];
};

export const nullable = (type: AvroType): AvroType => ['null', type];

export const arrayOf = (items: AvroType): AvroType => ({ type: 'array', items });

const isRecord = (type: AvroType): type is AvroRecord =>
  typeof type === 'object' && !Array.isArray(type) && 'fields' in type;

/**
 * Under FULL_TRANSITIVE a field without a default can never be dropped again, so every field has one but what a record
 * is nothing without: its own identity and whole records inside it. TypeScript sees to it that we always write all.
 */
const defaultOf = (name: string, type: AvroType): Pick<AvroField, 'default'> => {
  if (Array.isArray(type)) return { default: null };
  if (name === 'id' || name.endsWith('_id') || isRecord(type)) return {};
  if (type === 'string') return { default: '' };
  if (type === 'long') return { default: 0 };
  if (type === 'boolean') return { default: false };
  return { default: [] };
};

export const record = (namespace: string, name: string, fields: Readonly<Record<string, AvroType>>): AvroRecord => ({
  type: 'record',
  name,
  namespace,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type, ...defaultOf(field, type) })),
});

/** Avro defines a name once for each schema: every later use of a record becomes its full name. */
export const selfContained = (type: AvroType, seen: Set<string> = new Set()): AvroType => {
  if (typeof type === 'string') return type;
  if (isRecord(type)) {
    const name = `${type.namespace}.${type.name}`;
    if (seen.has(name)) return name;
    seen.add(name);
    return { ...type, fields: type.fields.map((field) => ({ ...field, type: selfContained(field.type, seen) })) };
  }
  if ('items' in type) return { type: 'array', items: selfContained(type.items, seen) };
  return type.map((member) => selfContained(member, seen));
};
