import type { Request } from 'restify';

/**
 * The id of a request, the same at every call. The service always creates it. It becomes the correlation id in the log,
 * and a client's id may name a person. The first call creates it, and restify stores it with the request.
 */
export const requestId = (request: Request): string => request.getId();
