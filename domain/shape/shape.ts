import * as t from 'io-ts';
import { type JsonSchema, nullable } from './json-schema.ts';
import { normalizeNewlines, textFault } from './text-rules.ts';

/*
 * The io-ts codecs for documents. Each has its own message, which follows the path of a fault, and a JSON Schema for
 * editors.
 */

export class Shape<A> extends t.Type<A, A, unknown> {
  readonly schema: JsonSchema;

  constructor(
    name: string,
    is: t.Is<A>,
    validate: t.Validate<unknown, A>,
    schema: JsonSchema,
    encode: t.Encode<A, A> = t.identity,
  ) {
    super(name, is, validate, encode);
    this.schema = schema;
  }
}

const checked = <A>(name: string, is: t.Is<A>, fault: (value: A) => string | null, schema: JsonSchema): Shape<A> =>
  new Shape<A>(
    name,
    (u): u is A => is(u) && fault(u) === null,
    (u, context) => {
      if (!is(u)) return t.failure(u, context);
      const message = fault(u);
      return message === null ? t.success(u) : t.failure(u, context, message);
    },
    schema,
  );

const given = (keywords: { readonly [keyword: string]: JsonSchema[string] | undefined }): JsonSchema => {
  const kept: { [keyword: string]: JsonSchema[string] } = {};
  for (const [keyword, value] of Object.entries(keywords)) if (value !== undefined) kept[keyword] = value;
  return kept;
};

type Range = { readonly min?: number; readonly above?: number; readonly max?: number; readonly whole?: true };

export const number = ({ min, above, max, whole }: Range) =>
  checked(
    'a number',
    (u): u is number => typeof u === 'number' && Number.isFinite(u),
    (value) => {
      if (whole === true && !Number.isInteger(value)) return 'must be a whole number';
      if (above !== undefined && value <= above) return `must be > ${above}`;
      if (min !== undefined && value < min) return `must be >= ${min}`;
      if (max !== undefined && value > max) return `must be <= ${max}`;
      return null;
    },
    given({ type: whole === true ? 'integer' : 'number', exclusiveMinimum: above, minimum: min, maximum: max }),
  );

export const text = ({ min = 0, max }: { readonly min?: number; readonly max: number }) =>
  checked(
    'a string',
    t.string.is,
    (value) => {
      if (value.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
      return textFault(value, max);
    },
    given({ type: 'string', minLength: min === 1 ? 1 : undefined, maxLength: max }),
  );

export const multilineText = ({ max }: { readonly max: number }) => {
  const drawn = text({ max });
  return new Shape<string>(
    drawn.name,
    drawn.is,
    (u, context) => drawn.validate(typeof u === 'string' ? normalizeNewlines(u) : u, context),
    drawn.schema,
  );
};

export const pattern = (regex: RegExp, form: string) =>
  checked('a string', t.string.is, (value) => (regex.test(value) ? null : `must be ${form}`), {
    type: 'string',
    pattern: regex.source,
  });

export const boolean = checked('true or false', t.boolean.is, () => null, { type: 'boolean' });

export const oneOf = <V extends string>(...values: readonly V[]) =>
  new Shape<V>(
    `one of ${values.join(', ')}`,
    (u): u is V => values.some((value) => value === u),
    (u, context) => {
      const found = values.find((value) => value === u);
      return found === undefined ? t.failure(u, context) : t.success(found);
    },
    { enum: values },
  );

/** If the input omits the member, the decoded document has `value`. */
export const withDefault = <A>(codec: Shape<A>, value: NoInfer<A> & JsonSchema[string]) =>
  new Shape<A>(
    codec.name,
    codec.is,
    (u, context) => (u === undefined ? t.success(value) : codec.validate(u, context)),
    {
      ...codec.schema,
      default: value,
    },
  );

export const orNull = <A>(codec: Shape<A>) =>
  new Shape<A | null>(
    `${codec.name} or null`,
    (u): u is A | null => u === null || codec.is(u),
    (u, context) => (u === null || u === undefined ? t.success(null) : codec.validate(u, context)),
    nullable(codec.schema),
  );

/**
 * A member that the decoded document also lacks if the input does. So a stored document that does not use it stays
 * readable for code that does not know it, and does not change.
 */
export const optional = <A>(codec: Shape<A>) =>
  new Shape<A | undefined>(
    codec.name,
    (u): u is A | undefined => u === undefined || codec.is(u),
    (u, context) => (u === undefined ? t.success(undefined) : codec.validate(u, context)),
    codec.schema,
  );

export const literalOr = <V extends string, A>(word: V, codec: Shape<A>) =>
  new Shape<V | A>(
    `"${word}" or ${codec.name}`,
    (u): u is V | A => u === word || codec.is(u),
    (u, context) => (u === word ? t.success(word) : codec.validate(u, context)),
    { anyOf: [{ const: word }, codec.schema] },
  );

export const listOf = <A>(codec: Shape<A>, bounds: { readonly min?: number; readonly max: number }) => {
  const items = t.readonlyArray(codec, 'a list');
  return new Shape<readonly A[]>(
    'a list',
    items.is,
    (u, context) => {
      if (!Array.isArray(u)) return t.failure(u, context);
      if (u.length > bounds.max) return t.failure(u, context, `must have at most ${bounds.max} entries`);
      if (u.length < (bounds.min ?? 0)) return t.failure(u, context, `must have at least ${bounds.min} entry`);
      return items.validate(u, context);
    },
    given({ type: 'array', items: codec.schema, minItems: bounds.min, maxItems: bounds.max }),
  );
};
