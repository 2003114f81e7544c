import type { Request } from 'restify';

/** Never the client's id, which may name a person: the log stores this id as the correlation id. */
export const requestId = (request: Request): string => request.getId();
