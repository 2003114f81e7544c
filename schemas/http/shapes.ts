import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { JsonSchema } from '../../domain/shape/json-schema.ts';
import { Shape } from '../../domain/shape/shape.ts';
import type { InputFault } from './error-codes.ts';
import { MAX_ITEMS } from './limits.ts';

/** The name of a shape appears in faults such as "is required, as a string". Faults never contain the value. */

type Keywords = { readonly [keyword: string]: JsonSchema[string] | undefined };

const schemaOf = (keywords: Keywords): JsonSchema =>
  Object.fromEntries(
    Object.entries(keywords).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );

const valued = <A>(name: string, is: t.Is<A>, schema: Keywords, fault: (value: A) => string | null = () => null) =>
  new Shape<A>(
    name,
    (u): u is A => is(u) && fault(u) === null,
    (u, context) => {
      if (!is(u)) return t.failure(u, context, `is required, as ${name}`);
      const message = fault(u);
      return message === null ? t.success(u) : t.failure(u, context, message);
    },
    schemaOf(schema),
  );

export const withSchema = <A>({ name, is, validate, encode }: Shape<A>, schema: JsonSchema) =>
  new Shape<A>(name, is, validate, schema, encode);

export const withKeywords = <A>(shape: Shape<A>, keywords: JsonSchema) =>
  withSchema(shape, { ...shape.schema, ...keywords });

export const withDescription = <A>(shape: Shape<A>, description: string) => withKeywords(shape, { description });

type TextRules = {
  readonly minLength?: 1;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'uri';
  /**
   * The maximum length in UTF-16 units; `maxLength` by default. In the OpenAPI document, `maxLength` counts code
   * points.
   */
  readonly max_units?: number;
};

export const text = (description: string, { max_units, ...rules }: TextRules = {}) => {
  const { minLength, maxLength = Number.POSITIVE_INFINITY, pattern } = rules;
  const max = max_units ?? maxLength;
  const form = pattern === undefined ? null : new RegExp(pattern, 'u');
  return valued('a string', t.string.is, { type: 'string', ...rules, description }, (value) => {
    if (minLength !== undefined && value === '') return 'must be at least 1 character';
    if (!value.isWellFormed()) return 'must not contain a lone surrogate';
    if (value.length > max) return `must have at most ${max} characters`;
    return form === null || form.test(value) ? null : 'is not valid';
  });
};

/** @param prefix of all ids of one kind; the rest is opaque */
export const prefixedId = (prefix: string, what: string) =>
  text(`ID of ${what}: \`${prefix}\` and opaque text.`, { pattern: `^${prefix}.` });

type Range = { readonly minimum?: number; readonly maximum?: number };

const rangeText = ({ minimum, maximum }: Range): string => {
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
};

const inRange =
  ({ minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Range) =>
  (u: unknown): u is number =>
    typeof u === 'number' && u >= minimum && u <= maximum;

export const integer = (description: string, range: Range = {}) => {
  const fits = inRange(range);
  const is = (u: unknown): u is number => Number.isSafeInteger(u) && fits(u);
  return valued(`a whole number${rangeText(range)}`, is, { type: 'integer', ...range, description });
};

export const number = (description: string, range: Range = {}) =>
  valued(`a number${rangeText(range)}`, inRange(range), { type: 'number', ...range, description });

export const count = (description: string) => integer(description, { minimum: 0 });

/** The last millisecond of the year 9999. */
const MAX_TIME = 253_402_300_799_999;

const isTime = (u: unknown): u is number => Number.isSafeInteger(u) && inRange({ minimum: 0, maximum: MAX_TIME })(u);

/** @param what such as "When it was created" */
export const time = (what: string) =>
  valued('milliseconds since the epoch', isTime, {
    ...{ type: 'integer', format: 'int64', minimum: 0 },
    description: `${what}, in milliseconds since the epoch.`,
  });

/** @param absent such as "null if it never ends" */
export const timeOrNull = (what: string, absent: string) =>
  orNull(
    valued('milliseconds since the epoch', isTime, { type: 'integer', minimum: 0 }),
    `${what}, in milliseconds since the epoch; ${absent}.`,
  );

export const boolean = (description: string) => valued('true or false', t.boolean.is, { type: 'boolean', description });

export const alwaysTrue = (description: string) =>
  valued('true', (u): u is true => u === true, { type: 'boolean', const: true, description });

export const oneOf = <const W extends string>(words: readonly W[], description: string) => {
  const is = (u: unknown): u is W => words.some((word) => word === u);
  return valued(`one of ${words.join(', ')}`, is, { type: 'string', enum: words, description });
};

export const subsetOf = <W extends string>(
  word: Shape<W>,
  words: readonly W[],
  description: string,
  minItems?: 0 | 1,
) => {
  const is = (u: unknown): u is readonly W[] => Array.isArray(u) && u.length >= (minItems ?? 0) && u.every(word.is);
  const name = `a list of some of ${words.join(', ')}`;
  const schema = schemaOf({ type: 'array', minItems, uniqueItems: true, items: word.schema, description });
  return new Shape<readonly W[]>(
    name,
    is,
    (u, context) =>
      is(u) && u.length <= words.length
        ? t.success(words.filter((one) => u.includes(one)))
        : t.failure(u, context, `is required, as ${name}`),
    schema,
  );
};

type ListBounds = { readonly minItems?: number; readonly maxItems?: number };

export const listOf = <A>(item: Shape<A>, description: string, bounds: ListBounds = {}) => {
  const items = t.readonlyArray(item, 'a list');
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = bounds;
  const is = (u: unknown): u is readonly A[] => items.is(u) && u.length >= minItems && u.length <= maxItems;
  return new Shape<readonly A[]>(
    'a list',
    is,
    (u, context) => items.validate(u, context),
    schemaOf({ type: 'array', ...bounds, items: item.schema, description }),
    items.encode,
  );
};

export const uniqueTexts = (description: string, bounds: Required<ListBounds>, max_units: number) => {
  const { minItems, maxItems } = bounds;
  const isText = (u: unknown): u is string => typeof u === 'string' && u !== '' && u.length <= max_units;
  const is = (u: unknown): u is readonly string[] =>
    Array.isArray(u) && u.length >= minItems && u.length <= maxItems && u.every(isText);
  const name = `a list of ${minItems} to ${maxItems} strings`;
  return new Shape<readonly string[]>(
    name,
    is,
    (u, context) => (is(u) ? t.success([...new Set(u)]) : t.failure(u, context, `is required, as ${name}`)),
    schemaOf({ type: 'array', ...bounds, items: { type: 'string', minLength: 1 }, description }),
  );
};

export const isObject = (u: unknown): u is { readonly [name: string]: unknown } =>
  typeof u === 'object' && u !== null && !Array.isArray(u);

export const anyObject = (description: string) => valued('an object', isObject, { type: 'object', description });

export const textByKey = (description: string) => {
  const is = (u: unknown): u is Readonly<Record<string, string>> =>
    isObject(u) && Object.values(u).every((value) => typeof value === 'string');
  const additionalProperties = { type: 'string' };
  return valued('an object of strings', is, { type: 'object', additionalProperties, description });
};

const nullable = ({ $ref, ...schema }: JsonSchema, description: string): JsonSchema => {
  if ($ref !== undefined) return { anyOf: [{ $ref }, { type: 'null' }], description };
  const { type = null, enum: words } = schema;
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(words) && { enum: [...words, null] }),
    description,
  };
};

/** Allows null as a value. A missing member is a fault. */
export const orNull = <A>(shape: Shape<A>, description: string) => {
  const name = `${shape.name}, or null`;
  const is = (u: unknown): u is A | null => u === null || shape.is(u);
  return new Shape<A | null>(
    name,
    is,
    (u, context) => (is(u) ? t.success(u) : t.failure(u, context, `is required, as ${name}`)),
    nullable(shape.schema, description),
    (value) => (value === null ? null : shape.encode(value)),
  );
};

/** A request member whose absence means null. */
export class Optional<A> extends Shape<A> {
  readonly presence = 'optional';
}

/** @param description of the member; without one (null), the schema is that of the shape, which does not allow null */
export const optional = <A>(shape: Shape<A>, description: string | null) =>
  new Optional<A | null>(
    shape.name,
    (u): u is A | null => u === null || shape.is(u),
    (u, context) => {
      if (u === undefined || u === null) return t.success(null);
      const decoded = shape.validate(u, context);
      if (E.isRight(decoded)) return decoded;
      const must = (message: string | undefined) => message?.replace('is required, as', 'must be') ?? 'is not valid';
      return t.failures(decoded.left.map(({ message, ...fault }) => ({ ...fault, message: must(message) })));
    },
    description === null ? shape.schema : nullable(shape.schema, description),
  );

/** A member that only some answers have. */
export class ConditionalShape<A> extends Shape<A> {
  readonly presence = 'sometimes';
}

export const conditionalMember = <A>({ name, is, validate, schema, encode }: Shape<A>) =>
  new ConditionalShape<A>(name, is, validate, schema, encode);

export type Members = {
  readonly [name: string]: t.Mixed & { readonly schema: JsonSchema; readonly presence?: string };
};

type IsSometimes<S> = S extends { readonly presence: 'sometimes' } ? true : false;

export type ObjectOf<M extends Members> = {
  readonly [K in keyof M as IsSometimes<M[K]> extends true ? never : K]: t.TypeOf<M[K]>;
} & { readonly [K in keyof M as IsSometimes<M[K]> extends true ? K : never]?: t.TypeOf<M[K]> };

type Entries = readonly (readonly [name: string, member: Members[string]])[];

const isAbsent = ({ presence }: Members[string], value: unknown): boolean =>
  value === undefined && presence === 'sometimes';

const objectSchema = (description: string, entries: Entries): JsonSchema => ({
  type: 'object',
  description,
  required: entries.filter(([, { presence }]) => presence === undefined).map(([name]) => name),
  properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
});

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * An object. Decoding drops unknown members, so that later versions can add some. Encoding writes only the listed
 * members, in this order.
 */
export class ObjectShape<M extends Members> extends Shape<ObjectOf<M>> {
  readonly members: M;
  readonly definition: JsonSchema;

  /** @param document_name name of the schema in the document; null to inline it */
  constructor(description: string, members: M, document_name: string | null) {
    const entries = Object.entries(members);
    const is = (u: unknown): u is ObjectOf<M> =>
      isObject(u) && entries.every(([name, member]) => isAbsent(member, u[name]) || member.is(u[name]));
    const definition = objectSchema(description, entries);
    const validate: t.Validate<unknown, ObjectOf<M>> = (u, context) => {
      if (!isObject(u)) return t.failure(u, context, 'is required, as an object');
      const faults: t.Errors = [];
      const values: { [name: string]: unknown } = {};
      for (const [name, member] of entries) {
        const value = u[name];
        if (isAbsent(member, value)) continue;
        const decoded = member.validate(value, t.appendContext(context, name, member, value));
        if (E.isLeft(decoded)) faults.push(...decoded.left);
        else values[name] = decoded.right;
      }
      if (faults.length > 0) return t.failures(faults);
      return is(values) ? t.success(values) : t.failure(u, context, 'is not valid');
    };
    const encode: t.Encode<ObjectOf<M>, ObjectOf<M>> = (value) => {
      const given: { readonly [name: string]: unknown } = value;
      const known = entries.filter(([name]) => given[name] !== undefined);
      return Object.fromEntries(known.map(([name, member]) => [name, member.encode(given[name])])) as ObjectOf<M>;
    };
    super('an object', is, validate, document_name === null ? definition : reference(document_name), encode);
    this.members = members;
    this.definition = definition;
  }
}

export const object = <M extends Members>(description: string, members: M) =>
  new ObjectShape(description, members, null);

export type Named = { readonly document_name: string; readonly definition: JsonSchema };

class NamedShape<A> extends Shape<A> implements Named {
  readonly document_name: string;
  readonly definition: JsonSchema;

  constructor({ name, is, validate, schema, encode }: Shape<A>, document_name: string) {
    super(name, is, validate, reference(document_name), encode);
    this.document_name = document_name;
    this.definition = schema;
  }
}

export const namedShape = <A>(document_name: string, shape: Shape<A>) => new NamedShape(shape, document_name);

export class Resource<M extends Members> extends ObjectShape<M> implements Named {
  readonly document_name: string;

  constructor(document_name: string, description: string, members: M) {
    super(description, members, document_name);
    this.document_name = document_name;
  }
}

export const resource = <M extends Members>(document_name: string, description: string, members: M) =>
  new Resource(document_name, description, members);

export const definitionsOf = (all: readonly Named[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(all.map(({ document_name, definition }) => [document_name, definition]));

export const wholeList = <A>(document_name: string, item: Shape<A>, description: string) =>
  resource(document_name, description, { data: listOf(item, 'All of them.') });

export const pageOf = <A>(document_name: string, item: Shape<A>, description: string) =>
  resource(document_name, description, {
    data: withKeywords(
      listOf(item, 'The elements of this page. There may be fewer than `limit` even if another page follows.'),
      { maxItems: MAX_ITEMS },
    ),
    has_more: boolean('Whether another page follows; false at the end of the list.'),
    next_cursor: orNull(
      text('', { minLength: 1 }),
      'Send it as `cursor` to get the following page; null on the last one.',
    ),
  });

/** A message names at most this many faults; further ones are only counted. */
const MAX_FAULTS = 10;

/** Example: `values.price`. Keys of `values` are names even if they look like numbers. */
const pathOf = ({ context }: t.ValidationError): string =>
  context.flatMap(({ key }) => (key === '' ? [] : [key])).join('.');

/** Example: `values.price: must be a string`. */
const faultText = (error: t.ValidationError): string => `${pathOf(error)}: ${error.message ?? 'is not valid'}`;

/** @returns if the value is not valid, one line that names each invalid member and its fault */
export const decodeShape = <A>(shape: t.Decoder<unknown, A>, value: unknown): E.Either<InputFault, A> =>
  E.mapLeft((errors: t.Errors): InputFault => {
    const rest = errors.length - MAX_FAULTS;
    const texts = [...errors.slice(0, MAX_FAULTS).map(faultText), ...(rest > 0 ? [`and ${rest} more`] : [])];
    const param = errors.map(pathOf)[0] ?? '';
    return {
      ...{ code: param === '' ? 'invalid_request' : 'invalid_field', message: texts.join('; ') },
      ...(param !== '' && { param }),
    };
  })(shape.decode(value));
