import type { IncomingHttpHeaders } from 'node:http';
import { bearerSessionToken } from '../../schemas/http/bearer-session.ts';
import { type CookieNames, cookieToken, sessionToken } from '../../schemas/http/session-cookie.ts';

/** A browser sends the cookie of its session, a program sends a bearer token. */
export type SessionCredential = { readonly kind: 'cookie' | 'bearer'; readonly token: string };

/** Null without a valid credential. Also null with both kinds, because a browser may have added its cookie. */
export const sessionCredential = (
  { authorization, cookie }: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>,
  cookies: Pick<CookieNames, 'session'>,
): SessionCredential | null => {
  if (authorization === undefined) {
    const token = cookieToken(cookie, cookies.session);
    return token === null ? null : { kind: 'cookie', token };
  }
  const token = bearerSessionToken(authorization);
  return token === null || sessionToken(cookie) !== null ? null : { kind: 'bearer', token };
};
