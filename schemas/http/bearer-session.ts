/**
 * The token of a session that a program presents, such as `renderctl`: `vrs_` and 256 random bits. Its form differs from
 * the tokens in cookies, so neither works in the place of the other.
 */
const BEARER = /^Bearer +(vrs_[\w-]{43}) *$/;

export const BEARER_SESSION_PREFIX = 'vrs_';

/** Null for an API key and every other text. */
export const bearerSessionToken = (authorization: string | undefined): string | null =>
  BEARER.exec(authorization ?? '')?.[1] ?? null;
