import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { textFault } from './text-rules.ts';

/*
 * The few io-ts codecs that documents are built of. Each gives its own message, so that a fault reads well after its
 * path; `closed` refuses what it does not know, so that nothing a person writes is silently ignored.
 */

const checked = <A>(name: string, is: t.Is<A>, fault: (value: A) => string | null): t.Type<A, A, unknown> =>
  new t.Type<A, A, unknown>(
    name,
    (u): u is A => is(u) && fault(u) === null,
    (u, context) => {
      if (!is(u)) return t.failure(u, context);
      const message = fault(u);
      return message === null ? t.success(u) : t.failure(u, context, message);
    },
    t.identity,
  );

type Range = { readonly min?: number; readonly above?: number; readonly max?: number; readonly whole?: true };

/** A finite number; `min` and `max` are allowed, `above` is not. */
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
  );

/** Text that can be drawn and stored, its length in code points. */
export const text = ({ min = 0, max }: { readonly min?: number; readonly max: number }) =>
  checked('a string', t.string.is, (value) => {
    if (value.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
    return textFault(value, max);
  });

export const pattern = (regex: RegExp, form: string) =>
  checked('a string', t.string.is, (value) => (regex.test(value) ? null : `must be ${form}`));

export const boolean = checked('true or false', t.boolean.is, () => null);

export const oneOf = <V extends string>(...values: readonly V[]) =>
  new t.Type<V, V, unknown>(
    `one of ${values.join(', ')}`,
    (u): u is V => values.some((value) => value === u),
    (u, context) => {
      const found = values.find((value) => value === u);
      return found === undefined ? t.failure(u, context) : t.success(found);
    },
    t.identity,
  );

/** Left out means `value`: the decoded document always has the member. */
export const orElse = <A>(codec: t.Type<A, A, unknown>, value: A) =>
  new t.Type<A, A, unknown>(
    codec.name,
    codec.is,
    (u, context) => (u === undefined ? t.success(value) : codec.validate(u, context)),
    t.identity,
  );

export const orNull = <A>(codec: t.Type<A, A, unknown>) =>
  new t.Type<A | null, A | null, unknown>(
    `${codec.name} or null`,
    (u): u is A | null => u === null || codec.is(u),
    (u, context) => (u === null || u === undefined ? t.success(null) : codec.validate(u, context)),
    t.identity,
  );

export const listOf = <A>(codec: t.Type<A, A, unknown>, bounds: { readonly min?: number; readonly max: number }) => {
  const items = t.readonlyArray(codec, 'a list');
  return new t.Type<readonly A[], readonly A[], unknown>(
    'a list',
    items.is,
    (u, context) => {
      if (!Array.isArray(u)) return t.failure(u, context);
      if (u.length > bounds.max) return t.failure(u, context, `must have at most ${bounds.max} entries`);
      if (u.length < (bounds.min ?? 0)) return t.failure(u, context, `must have at least ${bounds.min} entry`);
      return items.validate(u, context);
    },
    t.identity,
  );
};

/**
 * An object of exactly these members: a member that is not known is a fault at its own path. `sound` never fails: it
 * gives the members that decode, of an object that may be at fault as a whole.
 */
export const closed = <P extends t.Props>(members: P) => {
  type A = { readonly [K in keyof P]: t.TypeOf<P[K]> };
  const inner = t.type({ ...members }, 'an object');
  const some = t.partial({ ...members });
  const known = new Set(Object.keys(members));
  const is = (u: unknown): u is A => inner.is(u) && Object.keys(u).every((key) => known.has(key));
  const codec = new t.Type<A, A, unknown>(
    'an object',
    is,
    (u, context) => {
      if (typeof u !== 'object' || u === null || Array.isArray(u)) return t.failure(u, context);
      const unknown: t.Errors = Object.entries(u)
        .filter(([key]) => !known.has(key))
        .map(([key, value]) => ({
          value,
          context: t.appendContext(context, key, t.never, value),
          message: 'is not a property that is known here',
        }));
      const decoded = inner.validate(u, context);
      if (E.isLeft(decoded)) return t.failures([...decoded.left, ...unknown]);
      if (unknown.length > 0) return t.failures(unknown);
      return is(decoded.right) ? t.success(decoded.right) : t.failure(u, context);
    },
    t.identity,
  );
  const sound = (u: unknown): t.TypeOf<typeof some> => {
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
  return Object.assign(codec, { sound });
};
