import { stringifySetCookie } from 'cookie';

/** A cookie of this host alone, which no script reads and no other site sends but by following a link. */
export type OwnCookie = {
  readonly name: string;
  /** Null takes it away. */
  readonly value: string | null;
  readonly lasts_s: number;
};

/** @param public_url tells whether browsers come over https */
export const setCookie = (public_url: string, { name, value, lasts_s }: OwnCookie): string =>
  stringifySetCookie({
    ...{ name, value: value ?? '', path: '/', httpOnly: true, sameSite: 'lax' },
    secure: public_url.startsWith('https:'),
    maxAge: value === null ? 0 : lasts_s,
  });
