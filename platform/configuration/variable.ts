import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';

export type Variable<A> = {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** The default in words; null if the variable is required. */
  readonly absence: string | null;
  readonly secret: boolean;
  readonly quoted: boolean;
  /** The expected form, in words that follow "must be". */
  readonly form: string;
  readonly codec: t.Decoder<string, A>;
  readonly absent: () => Either<string, A>;
};

type About = {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly secret?: boolean;
  /** False if errors must not quote the value, because an operator could paste a secret there by mistake. */
  readonly quoted?: boolean;
};

const describe = (about: About, codec: { readonly name: string }) => ({
  name: about.name,
  description: about.description,
  example: about.example,
  secret: about.secret ?? false,
  quoted: about.quoted ?? !about.secret,
  form: codec.name,
});

export const required = <A>(about: About, codec: t.Decoder<string, A> & { readonly name: string }): Variable<A> => ({
  ...describe(about, codec),
  absence: null,
  codec,
  absent: () => left('is not set'),
});

/** `absence` describes the effect of a missing value. */
export const optional = <A>(
  about: About,
  codec: t.Decoder<string, A> & { readonly name: string },
  absence = 'none',
): Variable<A | undefined> => ({
  ...describe(about, codec),
  absence,
  codec,
  absent: () => right(undefined),
});

/** `shown` is the default in words, if the value itself is unclear or differs between machines. */
export const withDefault = <A>(
  about: About,
  codec: t.Decoder<string, A> & { readonly name: string },
  value: A,
  shown: string = String(value),
): Variable<A> => ({ ...describe(about, codec), absence: shown, codec, absent: () => right(value) });
