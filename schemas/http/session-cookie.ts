import { parseCookie } from 'cookie';

/**
 * The cookie of a session. Its prefix makes browsers take it over https alone, for this host alone, from this host
 * alone; on plain http (of the own machine) they would not take it, so there it has another name.
 */
const SESSION_COOKIES = { https: '__Host-video_session', http: 'video_session' } as const;

/** Of a sign-in that is under way. */
const SIGN_IN_COOKIES = { https: '__Host-video_sign_in', http: 'video_sign_in' } as const;

export type CookieNames = { readonly session: string; readonly sign_in: string };

/** @param public_url where browsers find the service */
export const cookieNames = (public_url: string): CookieNames => {
  const scheme = public_url.startsWith('https:') ? 'https' : 'http';
  return { session: SESSION_COOKIES[scheme], sign_in: SIGN_IN_COOKIES[scheme] };
};

/** 256 random bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** A token in the cookie of this name; null where there is none. @param header the whole header */
export const tokenIn = (header: string | undefined, name: string): string | null => {
  const token = header === undefined ? undefined : parseCookie(header)[name];
  return token !== undefined && TOKEN.test(token) ? token : null;
};

/** The token of a session, under either name. */
export const sessionToken = (header: string | undefined): string | null =>
  tokenIn(header, SESSION_COOKIES.https) ?? tokenIn(header, SESSION_COOKIES.http);
