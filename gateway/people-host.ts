import type { Request, Response } from 'restify';
import { requestTarget } from '../platform/http-server/address.ts';
import { sendError, sendRedirect } from '../platform/http-server/replies.ts';
import { bearerSessionToken } from '../schemas/http/bearer-session.ts';
import { isDashboard, isManagement, isOfPrograms } from '../schemas/http/routes.ts';
import { sessionToken } from '../schemas/http/session-cookie.ts';

type Handler = (request: Request, response: Response) => Promise<void>;

/** Whether browsers open the path as a page. Then a request for another host is redirected to the right one. */
const isPage = (path: string): boolean => isDashboard(path) || path.startsWith('/manage/v1/sign-in');

/** Whether the path is served under every host name: its answers are equal for every client and need no cookie. */
const isOpen = (path: string): boolean =>
  path === '/manage/v1/openapi.json' || isOfPrograms(path) || !(isDashboard(path) || isManagement(path));

/** Programs use any host name. A browser with a rebound name adds no bearer token by itself. */
const isProgram = ({ headers }: Request): boolean =>
  bearerSessionToken(headers.authorization) !== null && sessionToken(headers.cookie) === null;

/** The hosts that a request names: in the header, and in an absolute request target, which takes precedence. */
const hostsOf = ({ headers, url = '' }: Request): readonly (string | undefined)[] => [
  headers.host,
  ...(url.startsWith('/') ? [] : [/^https?:\/\/([^/?#]*)/i.exec(url)?.[1]]),
];

/**
 * Serves the dashboard and the management API only under one host name. So cookies belong to that host, and DNS-rebound
 * names get no data.
 *
 * @param people_origin undefined if every host name serves people
 */
export const restrictToPeopleHost = (people_origin: string | undefined, path: string, handler: Handler): Handler => {
  if (people_origin === undefined || isOpen(path)) return handler;
  const { origin, host } = new URL(people_origin);
  return async (request, response) => {
    if (isProgram(request) || hostsOf(request).every((one) => one?.toLowerCase() === host))
      return await handler(request, response);
    if (isPage(path)) return sendRedirect(response, `${origin}${requestTarget(request.url ?? '')}`);
    return sendError(response, {
      tag: 'forbidden',
      code: 'wrong_origin',
      message: `Host must be ${host}: open ${origin}/dashboard/`,
    });
  };
};
