import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { LINK_PAGE, overPage, sendPage } from './pages.ts';
import { PEOPLE } from './people.ts';

export type LinkRoutes = {
  /** Answers what is about links; false for all else. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The person of the link that this browser has followed; null if it followed none. The link is used up. */
  readonly personOf: (request: IncomingMessage, response: ServerResponse) => string | null;
};

/** POST makes a link for somebody. */
const MADE = /^\/links\/(\w{1,32})$/;
const LINK = /^\/once\/([\w-]{1,64})\/?$/;

/** What a link leaves in the browser until the provider asks who it is. */
const COOKIE = 'one_time_link';
const COOKIE_S = 120;
const ASKED_AT = '/people';

const cookie = (name: string, path: string, value: string, maxAge: number): string =>
  stringifySetCookie({ name, value, path, maxAge, httpOnly: true, sameSite: 'lax' });

/**
 * @param options.origin where browsers find the provider
 * @param options.sign_in where a sign-in begins at the service
 * @param options.session_cookie by which the provider knows a browser
 */
export const linkRoutes = (options: {
  readonly origin: string;
  readonly client_secret: string;
  readonly sign_in: string;
  readonly session_cookie: string;
  readonly links: OneTimeLinks;
}): LinkRoutes => {
  const { origin, client_secret, sign_in, session_cookie, links } = options;

  const make = (request: IncomingMessage, response: ServerResponse, person: string): void => {
    const is_allowed = sha256Hex(request.headers.authorization ?? '') === sha256Hex(`Bearer ${client_secret}`);
    const is_known = PEOPLE.some(({ id }) => id === person);
    const status = !is_allowed ? 401 : !is_known || request.method !== 'POST' ? 404 : 201;
    response.writeHead(status, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(status === 201 ? `${origin}/once/${links.make(person)}` : '');
  };

  // GET changes nothing: mail, chats and browsers look at addresses before people do. POST begins an ordinary sign-in, and
  // the link is used up once that asks here who it is: a second click, or a service that is away just now, costs nothing.
  const follow = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const standing = links.standing(token);
    if (standing !== 'open') sendPage(response, 410, overPage(standing, sign_in), sign_in);
    else if (request.method !== 'POST') sendPage(response, 200, LINK_PAGE, sign_in);
    else {
      // Ends the browser's session at the provider: it would sign in the person who was here before.
      const cookies = [cookie(session_cookie, '/', '', 0), cookie(COOKIE, ASKED_AT, token, COOKIE_S)];
      const headers = { Location: sign_in, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
      response.writeHead(303, { ...headers, 'Set-Cookie': cookies }).end();
    }
  };

  return {
    serve: (request, response) => {
      const { url = '' } = request;
      const [, token] = LINK.exec(url) ?? [];
      const [, person] = MADE.exec(url) ?? [];
      if (token !== undefined) follow(request, response, token);
      else if (person !== undefined) make(request, response, person);
      else return false;
      return true;
    },
    personOf: (request, response) => {
      const token = parseCookie(request.headers.cookie ?? '')[COOKIE];
      if (token === undefined) return null;
      response.setHeader('Set-Cookie', cookie(COOKIE, ASKED_AT, '', 0));
      return links.take(token);
    },
  };
};
