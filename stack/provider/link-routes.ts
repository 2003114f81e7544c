import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { invalidLinkPage, LINK_PAGE, sendPage } from './pages.ts';
import { PEOPLE } from './people.ts';

export type LinkRoutes = {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The person of the link that this browser followed; null without a link. Consumes the link. */
  readonly personOf: (request: IncomingMessage, response: ServerResponse) => string | null;
};

/** The path at which a POST creates a link for a person. */
const MADE = /^\/links\/(\w{1,32})$/;
const LINK = /^\/once\/([\w-]{1,64})\/?$/;

const COOKIE = 'one_time_link';
const COOKIE_S = 120;
const ASKED_AT = '/people';

const cookie = (name: string, path: string, value: string, maxAge: number): string =>
  stringifySetCookie({ name, value, path, maxAge, httpOnly: true, sameSite: 'lax' });

/**
 * @param options.origin the provider's URL for browsers
 * @param options.sign_in the URL at the service that starts a sign-in
 * @param options.session_cookie the cookie of the provider's sessions
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

  // GET has no effect, because mail, chat and browser programs prefetch links. POST starts an ordinary sign-in, which
  // consumes the link when it asks for the person. So a second click, or an outage of the service, does not consume the
  // link.
  const follow = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const standing = links.standing(token);
    if (standing !== 'open') sendPage(response, 410, invalidLinkPage(standing, sign_in), sign_in);
    else if (request.method !== 'POST') sendPage(response, 200, LINK_PAGE, sign_in);
    else {
      // Ends the browser's session at the provider, because that session would sign in the previous person.
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
