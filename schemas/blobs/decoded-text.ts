import * as E from 'fp-ts/lib/Either.js';
import * as J from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';

/** Null if the text is not JSON, or does not match the codec. */
export const decodeJsonText = <A>(codec: t.Decoder<unknown, A>, text: string): A | null => {
  const json = J.parse(text);
  return E.isLeft(json) ? null : E.getOrElse<unknown, A | null>(() => null)(codec.decode(json.right));
};
