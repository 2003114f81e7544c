import { isObject } from '../../schemas/http/shapes.ts';
import { ignoredNames } from '../http-server/ignored-names.ts';
import type { ApiRequest } from '../http-server/route.ts';
import type { AuthenticatedHandler } from './authenticated.ts';

/** Names the query parameters that the route lacks in a header of the answer, errors included (ADR 135). */
export const reportIgnoredParameters =
  (known: readonly string[], handler: AuthenticatedHandler): AuthenticatedHandler =>
  async (request, access) => {
    const ignored = ignoredNames(known, request.query.keys());
    if (ignored !== null) request.answerWith({ 'Ignored-Parameters': ignored });
    return await handler(request, access);
  };

/** Names the members of a body that the route lacks in a header of the answer, errors included (ADR 135). */
export const reportIgnoredMembers = (
  request: Pick<ApiRequest, 'answerWith'>,
  known: readonly string[],
  body: unknown,
): void => {
  const ignored = isObject(body) ? ignoredNames(known, Object.keys(body)) : null;
  if (ignored !== null) request.answerWith({ 'Ignored-Members': ignored });
};
