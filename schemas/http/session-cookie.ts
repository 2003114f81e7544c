import { parseCookie } from 'cookie';

/**
 * Names of the session cookie. With the prefix `__Host-`, browsers accept the cookie only over https and for this host.
 * Plain http is for local use.
 */
const SESSION_COOKIES = { https: '__Host-video_session', http: 'video_session' } as const;

const SIGN_IN_COOKIES = { https: '__Host-video_sign_in', http: 'video_sign_in' } as const;

export type CookieNames = { readonly session: string; readonly sign_in: string };

export const cookieNames = (public_url: string): CookieNames => {
  const scheme = public_url.startsWith('https:') ? 'https' : 'http';
  return { session: SESSION_COOKIES[scheme], sign_in: SIGN_IN_COOKIES[scheme] };
};

/** 256 random bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The token in a cookie; null if the request has no valid one.
 *
 * @param header the whole Cookie header
 */
export const cookieToken = (header: string | undefined, name: string): string | null => {
  const token = header === undefined ? undefined : parseCookie(header)[name];
  return token !== undefined && TOKEN.test(token) ? token : null;
};

/** The session token, from either cookie name. */
export const sessionToken = (header: string | undefined): string | null =>
  cookieToken(header, SESSION_COOKIES.https) ?? cookieToken(header, SESSION_COOKIES.http);
