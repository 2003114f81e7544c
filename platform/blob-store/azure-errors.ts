import { RestError } from '@azure/storage-blob';

/** An answer to HEAD has no body, so its error code is only in a header. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof RestError && (error.code === code || error.response?.headers.get('x-ms-error-code') === code);

export const hasBlobStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof RestError && statuses.includes(error.statusCode ?? 0);

/** Conflicts that do not depend on the source of a copy. */
const PASSING_CONFLICTS = ['ContainerBeingDeleted', 'AccountBeingCreated'];

/** The store does not copy this source, for example because a client encrypted it with a key of its own. */
export const isSourceRefused = (error: unknown): boolean =>
  hasBlobStatus(error, 409) && !PASSING_CONFLICTS.some((code) => hasErrorCode(error, code));
