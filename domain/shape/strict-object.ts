import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { didYouMean } from '../near-name.ts';
import type { JsonSchema } from './json-schema.ts';
import { Shape } from './shape.ts';

type Members = { readonly [name: string]: t.Mixed & { readonly schema: JsonSchema } };

/** A member is required if its codec rejects `undefined`. */
const objectSchema = (members: Members): JsonSchema => {
  const required = Object.entries(members).flatMap(([name, { decode }]) => (E.isLeft(decode(undefined)) ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
};

/**
 * The maximum number of unknown members with a suggestion: the search for similar names is slow, and people do not fix
 * more at once.
 */
const MAX_SUGGESTIONS = 20;

/** Members that may be undefined can be missing. */
type OptionalNames<P extends Members> = {
  [K in keyof P]: undefined extends t.TypeOf<P[K]> ? K : never;
}[keyof P];

type ObjectOf<P extends Members> = { readonly [K in Exclude<keyof P, OptionalNames<P>>]: t.TypeOf<P[K]> } & {
  readonly [K in OptionalNames<P>]?: t.TypeOf<P[K]>;
};

const isObject = (u: unknown): u is object => typeof u === 'object' && u !== null && !Array.isArray(u);

/**
 * An object with exactly these members. An unknown member is a fault at its own path. Members of `dropped` are
 * validated, but the result omits them. The function `lenient` never fails: it returns the members that decode.
 */
export const strictObject = <P extends Members>(members: P, dropped: Members = {}) => {
  type A = ObjectOf<P>;
  const inner = t.type({ ...members }, 'an object');
  const some = t.partial({ ...members });
  const known = new Set(Object.keys(members));
  const optional_names = Object.keys(members).filter((name) => members[name]?.is(undefined) === true);
  const absent = Object.fromEntries(optional_names.map((name) => [name, undefined]));
  const withAbsent = (u: unknown): unknown => (optional_names.length > 0 && isObject(u) ? { ...absent, ...u } : u);
  const withoutAbsent = (u: object): object =>
    optional_names.length === 0
      ? u
      : Object.fromEntries(Object.entries(u).filter(([name, value]) => value !== undefined || !(name in absent)));
  const is = (u: unknown): u is A =>
    isObject(u) && inner.is(withAbsent(u)) && Object.keys(u).every((key) => known.has(key));
  const all_known = [...known, ...Object.keys(dropped)];
  const otherFaults = (key: string, value: unknown, index: number, context: t.Context): t.Errors => {
    const codec = Object.hasOwn(dropped, key) ? dropped[key] : undefined;
    if (codec === undefined) {
      const near = index < MAX_SUGGESTIONS ? didYouMean(key, all_known) : '';
      const message = `is not a known property${near}`;
      return [{ value, context: t.appendContext(context, key, t.never, value), message }];
    }
    const decoded = codec.validate(value, t.appendContext(context, key, codec, value));
    return E.isLeft(decoded) ? decoded.left : [];
  };
  const withoutDropped = (u: object): object =>
    Object.keys(u).some((key) => Object.hasOwn(dropped, key))
      ? Object.fromEntries(Object.entries(u).filter(([key]) => !Object.hasOwn(dropped, key)))
      : u;
  const codec = new Shape<A>(
    'an object',
    is,
    (u, context) => {
      if (!isObject(u)) return t.failure(u, context);
      const others = Object.entries(u)
        .filter(([key]) => !known.has(key))
        .flatMap(([key, value], index) => otherFaults(key, value, index, context));
      const decoded = inner.validate(withoutDropped(u), context);
      if (E.isLeft(decoded)) return t.failures([...decoded.left, ...others]);
      if (others.length > 0) return t.failures(others);
      const found = withoutAbsent(decoded.right);
      return is(found) ? t.success(found) : t.failure(u, context);
    },
    objectSchema({ ...dropped, ...members }),
  );
  const lenient = (u: unknown): t.TypeOf<typeof some> => {
    if (typeof u !== 'object' || u === null) return {};
    const kept = Object.entries(u).filter(([key, value]) => {
      const member = known.has(key) ? members[key] : undefined;
      return member !== undefined && E.isRight(member.decode(value));
    });
    return pipe(
      some.decode(Object.fromEntries(kept)),
      E.getOrElse((): t.TypeOf<typeof some> => ({})),
    );
  };
  return Object.assign(codec, { lenient, members });
};
