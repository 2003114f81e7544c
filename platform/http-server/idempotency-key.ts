import * as E from 'fp-ts/lib/Either.js';
import type { InputFault } from '../../schemas/http/error-codes.ts';
import type { ApiRequest } from './route.ts';

/** Visible ASCII. Node joins two headers with a comma and a space, so a repeated header does not match. */
const FORM = /^[\x21-\x7e]{1,255}$/;

const BAD_KEY: InputFault = {
  ...{ code: 'invalid_header', param: 'Idempotency-Key' },
  message: 'Idempotency-Key: must be sent once, as 1 to 255 visible ASCII characters without spaces',
};

/** Null without a key. */
export const idempotencyKey = ({ headers }: Pick<ApiRequest, 'headers'>): E.Either<InputFault, string | null> => {
  const header = headers['idempotency-key'];
  if (header === undefined) return E.right(null);
  return typeof header === 'string' && FORM.test(header) ? E.right(header) : E.left(BAD_KEY);
};
