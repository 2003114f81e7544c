import { RestError } from '@azure/storage-blob';

/** An answer to HEAD has no body, so its error code is only in a header. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof RestError && (error.code === code || error.response?.headers.get('x-ms-error-code') === code);
