import type { Request } from 'restify';

/**
 * The id of a request, the same at every call. Always our own: it goes into the log as correlation id, and what a
 * client sends may name a person. (restify makes it at the first call and keeps it with the request.)
 */
export const requestId = (request: Request): string => request.getId();
