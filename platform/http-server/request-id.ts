import type { Request } from 'restify';

/**
 * The id of a request, the same at every call. It is always our own: it goes into the log as correlation id, and a
 * client's id may name a person. (restify makes it at the first call and keeps it with the request.)
 */
export const requestId = (request: Request): string => request.getId();
