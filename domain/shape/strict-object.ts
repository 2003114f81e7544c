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

const isObject = (u: unknown): u is object => typeof u === 'object' && u !== null && !Array.isArray(u);

/**
 * An object with exactly these members. An unknown member is a fault at its own path. Members of `dropped` are
 * validated, but the result omits them. The function `lenient` never fails: it returns the members that decode.
 */
export const strictObject = <P extends Members>(members: P, dropped: Members = {}) => {
  type A = { readonly [K in keyof P]: t.TypeOf<P[K]> };
  const inner = t.type({ ...members }, 'an object');
  const some = t.partial({ ...members });
  const known = new Set(Object.keys(members));
  const is = (u: unknown): u is A => inner.is(u) && Object.keys(u).every((key) => known.has(key));
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
      return is(decoded.right) ? t.success(decoded.right) : t.failure(u, context);
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
