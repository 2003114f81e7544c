import type { Request, Response } from 'restify';
import { targetOf } from '../platform/http-server/address.ts';
import { sendError, sendRedirect } from '../platform/http-server/replies.ts';
import { isDashboard, isManagement } from '../schemas/http/routes.ts';

type Handler = (request: Request, response: Response) => Promise<void>;

/** What a browser opens as a page: it is led to the right host name. */
const isPage = (path: string): boolean => isDashboard(path) || path.startsWith('/manage/v1/sign-in');

/** The same for everybody, without a cookie. */
const isOpen = (path: string): boolean =>
  path === '/manage/v1/openapi.json' || !(isDashboard(path) || isManagement(path));

/** The header's, and the one of a target in proxy form, which stands for it. */
const hostsOf = ({ headers, url = '' }: Request): readonly (string | undefined)[] => [
  headers.host,
  ...(url.startsWith('/') ? [] : [/^https?:\/\/([^/?#]*)/i.exec(url)?.[1]]),
];

/**
 * Serves people under one host name alone, so that their cookies are of this name, and a rebound name gets nothing.
 *
 * @param people_origin undefined where every host name serves people
 * @param path of the table of routes
 */
export const atPeopleHost = (people_origin: string | undefined, path: string, handler: Handler): Handler => {
  if (people_origin === undefined || isOpen(path)) return handler;
  const { origin, host } = new URL(people_origin);
  return async (request, response) => {
    if (hostsOf(request).every((one) => one?.toLowerCase() === host)) return await handler(request, response);
    if (isPage(path)) return sendRedirect(response, `${origin}${targetOf(request.url ?? '')}`);
    return sendError(response, { tag: 'forbidden', message: `Host must be ${host}: open ${origin}/dashboard/` });
  };
};
