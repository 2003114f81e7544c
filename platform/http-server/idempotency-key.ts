import * as E from 'fp-ts/lib/Either.js';
import type { ApiRequest } from './route.ts';

/** Visible ASCII. Node joins two headers by a comma and a space, which this does not match. */
const FORM = /^[\x21-\x7e]{1,255}$/;

/** The client's key; null without one. Left: what is wrong with it. */
export const idempotencyKey = ({ headers }: Pick<ApiRequest, 'headers'>): E.Either<string, string | null> => {
  const header = headers['idempotency-key'];
  if (header === undefined) return E.right(null);
  return typeof header === 'string' && FORM.test(header)
    ? E.right(header)
    : E.left('Idempotency-Key: must be sent once, as 1 to 255 visible ASCII characters without spaces');
};
