import type { Request, Response } from 'restify';
import { targetOf } from '../platform/http-server/address.ts';
import { sendError, sendRedirect } from '../platform/http-server/replies.ts';
import { isDashboard, isManagement } from '../schemas/http/routes.ts';

type Handler = (request: Request, response: Response) => Promise<void>;

/** Paths that a browser opens as a page: these redirect to the right host name. */
const isPage = (path: string): boolean => isDashboard(path) || path.startsWith('/manage/v1/sign-in');

/** Paths with equal answers for every client, without a cookie. */
const isOpen = (path: string): boolean =>
  path === '/manage/v1/openapi.json' || !(isDashboard(path) || isManagement(path));

/** Host of the header, and host of a target in proxy form, which takes precedence. */
const hostsOf = ({ headers, url = '' }: Request): readonly (string | undefined)[] => [
  headers.host,
  ...(url.startsWith('/') ? [] : [/^https?:\/\/([^/?#]*)/i.exec(url)?.[1]]),
];

/**
 * Serves people only under one host name. Their cookies belong to this name, and a DNS-rebound name gets no data.
 * @param people_origin undefined if every host name serves people
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
