import { stringifySetCookie } from 'cookie';

/** A cookie for this host only. Scripts cannot read it, and other sites send it only when a person follows a link. */
export type HostCookie = {
  readonly name: string;
  /** Null deletes the cookie. */
  readonly value: string | null;
  readonly lasts_s: number;
};

export const setCookie = (public_url: string, { name, value, lasts_s }: HostCookie): string =>
  stringifySetCookie({
    ...{ name, value: value ?? '', path: '/', httpOnly: true, sameSite: 'lax' },
    secure: public_url.startsWith('https:'),
    maxAge: value === null ? 0 : lasts_s,
  });
