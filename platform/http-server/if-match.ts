import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from './api-error.ts';
import type { ApiRequest } from './route.ts';

const FORM = /^"(\d{1,9})"$/;

const MISSING =
  'If-Match: is required: the number of the version that the document was made from, in quotes, or * for any version';

const MALFORMED: ApiError = {
  ...{ tag: 'invalid', code: 'invalid_header', param: 'If-Match' },
  message: 'If-Match: must be the number of one version in quotes, like "3", or *',
};

/** The version that the caller knows; null for `*`. */
export const matchedVersion = ({ headers }: Pick<ApiRequest, 'headers'>): E.Either<ApiError, number | null> => {
  const header = headers['if-match'];
  if (header === undefined) return E.left({ tag: 'precondition_required', param: 'If-Match', message: MISSING });
  if (header === '*') return E.right(null);
  const [, version] = FORM.exec(header) ?? [];
  return version === undefined ? E.left(MALFORMED) : E.right(Number(version));
};
