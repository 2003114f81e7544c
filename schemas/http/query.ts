import * as E from 'fp-ts/lib/Either.js';
import { STATUSES, type RenderStatus as Status } from '../../domain/render/render.ts';
import type { JsonSchema } from '../../domain/shape/json-schema.ts';
import type { InputFault } from './error-codes.ts';
import { DEFAULT_ITEMS, MAX_CURSOR_LENGTH, MAX_ID_LENGTH, MAX_ITEMS, MAX_SEARCH_LENGTH } from './limits.ts';
import { type Parameter, parameterRef, type Reference } from './openapi.ts';
import { Order, RenderStatus } from './words.ts';

export type ListOrder = 'asc' | 'desc';

/**
 * If a parameter is repeated, the first value counts. Unknown parameters are ignored, so that later versions can add
 * some. Faults never contain the value.
 */

export type QueryParameter<A> = {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: true;
  readonly example?: string;
  readonly reference?: string;
  /** @param value null if the query lacks the parameter */
  readonly decode: (value: string | null) => E.Either<string, A>;
};

const TOO_SHORT = 'must be at least 1 character';
const TEXT = { type: 'string', minLength: 1 } as const;

export const requiredText = (reference: string, description: string, example: string): QueryParameter<string> => ({
  ...{ reference, description, schema: TEXT, required: true, example },
  decode: (value) => {
    if (value === null) return E.left('is required, as a query parameter');
    return value === '' ? E.left(TOO_SHORT) : E.right(value);
  },
});

type TextRules = { readonly max?: number; readonly example?: string; readonly reference?: string };

export const optionalText = (
  description: string,
  { max = Number.POSITIVE_INFINITY, ...rules }: TextRules = {},
): QueryParameter<string | null> => ({
  ...{ description, schema: Number.isFinite(max) ? { ...TEXT, maxLength: max } : TEXT, ...rules },
  decode: (value) => {
    if (value === '') return E.left(TOO_SHORT);
    return value !== null && value.length > max ? E.left(`must have at most ${max} characters`) : E.right(value);
  },
});

const choice = (words: readonly string[]): string => {
  const [first, second, ...others] = words;
  return others.length === 0 ? `${first} or ${second}` : `one of ${words.join(', ')}`;
};

const wordIn = <W extends string>(words: readonly W[], value: string): E.Either<string, W> => {
  const word = words.find((one) => one === value);
  return word === undefined ? E.left(`must be ${choice(words)}`) : E.right(word);
};

export const optionalWord = <W extends string>(
  words: readonly W[],
  description: string,
  { schema = { type: 'string', enum: words }, ...rules }: { readonly schema?: JsonSchema; readonly example?: W } = {},
): QueryParameter<W | null> => ({
  ...{ description, schema, ...rules },
  decode: (value) => (value === null ? E.right(null) : wordIn(words, value)),
});

export const wordWithDefault = <W extends string>(
  fallback: W,
  words: readonly W[],
  description: string,
  schema: JsonSchema = { type: 'string', enum: words },
): QueryParameter<W> => ({
  ...{ description, schema: { ...schema, default: fallback } },
  decode: (value) => wordIn(words, value ?? fallback),
});

/** A time in a query: milliseconds since the epoch, with at most 15 digits. */
export const optionalTime = (description: string): QueryParameter<number | null> => ({
  ...{ description, schema: { type: 'integer', minimum: 0 } },
  decode: (value) => {
    if (value === null) return E.right(null);
    return /^\d{1,15}$/.test(value) ? E.right(Number(value)) : E.left('must be milliseconds since the epoch');
  },
});

/** A number with more digits than this is above the maximum in any case, so it is not parsed. */
const CLAMPED_DIGITS = 9;

const LIMIT: QueryParameter<number> = {
  reference: 'Limit',
  description: `The maximum number of elements of a page; more than ${MAX_ITEMS} counts as ${MAX_ITEMS}.`,
  schema: { type: 'integer', minimum: 1, default: DEFAULT_ITEMS },
  decode: (value) => {
    if (value === null) return E.right(DEFAULT_ITEMS);
    const digits = /^\d+$/.test(value) ? value.replace(/^0+/, '') : '';
    if (digits === '') return E.left('must be a whole number, 1 or more');
    return E.right(digits.length > CLAMPED_DIGITS ? MAX_ITEMS : Math.min(MAX_ITEMS, Number(digits)));
  },
};

/** An empty cursor counts as absent, because HTML forms send empty fields. */
const CURSOR: QueryParameter<string | null> = {
  reference: 'Cursor',
  description:
    'The `next_cursor` of the previous page; leave it out for the first page. A cursor is opaque and works only for the same list with the same filters. After a change of `search`, `order` or another filter, start again. Anything else is refused with 400.',
  schema: { type: 'string', maxLength: MAX_CURSOR_LENGTH },
  decode: (value) => E.right(value || null),
};

const SEARCH: QueryParameter<string | null> = {
  reference: 'Search',
  description:
    'Only elements whose name has all of these words, or words that begin with them; accents and case do not count. The best matches come first (the whole name, whole words, beginnings), then the newest. An element that is renamed while you page may appear twice or not at all.',
  schema: { type: 'string', maxLength: MAX_SEARCH_LENGTH },
  example: 'spring sale',
  decode: (value) => {
    const text = value ?? '';
    // The comparison of `length` avoids counting the code points of very long texts.
    if (text.length > 2 * MAX_SEARCH_LENGTH || [...text].length > MAX_SEARCH_LENGTH)
      return E.left(`must have at most ${MAX_SEARCH_LENGTH} characters`);
    return E.right(text.trim() === '' ? null : text);
  },
};

const STATUS: QueryParameter<Status | null> = {
  reference: 'Status',
  ...optionalWord(STATUSES, 'Only renders with this status.', { schema: RenderStatus.schema, example: 'complete' }),
};

const ORDER: QueryParameter<ListOrder> = {
  reference: 'InOrder',
  ...wordWithDefault(
    'desc',
    ['asc', 'desc'],
    'By the time of creation: `desc` newest first, `asc` oldest first. Ignored with `search`.',
    Order.schema,
  ),
};

export const PAGE_PARAMETERS = { limit: LIMIT, cursor: CURSOR };
export const SEARCH_PARAMETERS = { search: SEARCH };
/** A search over several lists, in the order of time. */
export const NEWEST_FIRST_SEARCH_PARAMETERS = {
  search: {
    ...{ schema: SEARCH.schema, example: 'spring sale', decode: SEARCH.decode },
    description:
      'Only elements whose name has all of these words, or words that begin with them; accents and case do not count.',
  },
};
export const ORDER_PARAMETERS = { order: ORDER };
export const STATUS_PARAMETERS = { status: STATUS };
export const TEMPLATE_PARAMETERS = {
  template_id: optionalText('Only renders of this template, also if newer versions of the project lack it.', {
    ...{ max: MAX_ID_LENGTH, example: 'tpl_sale', reference: 'WithTemplate' },
  }),
};
export const PERIOD_PARAMETERS = {
  since: {
    reference: 'Since',
    ...optionalTime('The beginning of the period, in milliseconds since the epoch.'),
  },
  until: {
    reference: 'Until',
    ...optionalTime('The end of the period, which is excluded, in milliseconds since the epoch.'),
  },
};

export const parameterOf = (name: string, parameter: QueryParameter<unknown>): Parameter => {
  const { description, schema, required = false, example } = parameter;
  return { ...{ name, in: 'query', required, description, schema }, ...(example !== undefined && { example }) };
};

const parameterFault = (param: string, message: string): InputFault => ({ code: 'invalid_parameter', param, message });

type Decoded<P> = { readonly [K in keyof P]: P[K] extends QueryParameter<infer A> ? A : never };

export type Query<A> = {
  readonly parameters: readonly Parameter[];
  readonly references: readonly Reference[];
  readonly decode: (given: URLSearchParams) => E.Either<InputFault, A>;
};

export type DecodedBy<Q> = Q extends Query<infer A> ? A : never;

export const query = <const P extends Readonly<Record<string, QueryParameter<unknown>>>>(
  members: P,
): Query<Decoded<P>> => ({
  parameters: Object.entries(members).map(([name, member]) => parameterOf(name, member)),
  references: Object.values(members).flatMap(({ reference }) =>
    reference === undefined ? [] : [parameterRef(reference)],
  ),
  decode: (given) => {
    const faults: { readonly name: string; readonly text: string }[] = [];
    const values: Record<string, unknown> = {};
    for (const [name, { decode }] of Object.entries(members)) {
      const decoded = decode(given.get(name));
      if (E.isLeft(decoded)) faults.push({ name, text: `${name}: ${decoded.left}` });
      else values[name] = decoded.right;
    }
    const [first] = faults;
    if (first === undefined) return E.right(values as Decoded<P>);
    return E.left(parameterFault(first.name, faults.map(({ text }) => text).join('; ')));
  },
});

export type PageRequest = {
  readonly limit: number;
  readonly cursor: string | null;
  readonly search: string | null;
  readonly order: ListOrder;
};

export const withNewestFirstOrder = <A extends Pick<PageRequest, 'limit' | 'cursor'>>(request: A): A & PageRequest => ({
  ...{ search: null, order: 'desc' },
  ...request,
});

export const PageQuery = query(PAGE_PARAMETERS);

/** `since` <= time < `until`; null means no bound. */
export type Period = { readonly since: number | null; readonly until: number | null };

export const withPeriodCheck = <A extends Period>({ decode, ...documented }: Query<A>): Query<A> => ({
  ...documented,
  decode: (given) =>
    E.filterOrElse(
      ({ since, until }: A) => since === null || until === null || until > since,
      () => parameterFault('until', 'until: must be after since'),
    )(decode(given)),
});
