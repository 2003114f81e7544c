import * as E from 'fp-ts/lib/Either.js';
import type { ApiRequest } from './route.ts';

/** Visible ASCII. Node joins two headers with a comma and a space, so a repeated header does not match. */
const FORM = /^[\x21-\x7e]{1,255}$/;

/** Null without a key. Left: the fault. */
export const idempotencyKey = ({ headers }: Pick<ApiRequest, 'headers'>): E.Either<string, string | null> => {
  const header = headers['idempotency-key'];
  if (header === undefined) return E.right(null);
  return typeof header === 'string' && FORM.test(header)
    ? E.right(header)
    : E.left('Idempotency-Key: must be sent once, as 1 to 255 visible ASCII characters without spaces');
};
