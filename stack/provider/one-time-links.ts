import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../platform/access/sha256.ts';

export const LINK_MINUTES = 15;

const MAX_LINKS = 64;

/** `over`: the link has expired or was deleted, or the process has restarted. */
export type LinkState = 'open' | 'used' | 'over';

export type OneTimeLinks = {
  /** @returns a token of 256 random bits; only its hash is stored */
  readonly make: (person: string) => string;
  readonly standing: (token: string) => LinkState;
  /** Null unless the link is open. Only the first call gets the person. */
  readonly take: (token: string) => string | null;
};

/** @param now a monotonic clock, ms */
export const oneTimeLinks = (now: () => number): OneTimeLinks => {
  const links = new Map<string, { readonly person: string; readonly ends_at: number; readonly is_used: boolean }>();

  const standing = (token: string): LinkState => {
    const link = links.get(sha256Hex(token));
    if (link?.is_used) return 'used';
    return link !== undefined && now() < link.ends_at ? 'open' : 'over';
  };

  return {
    make: (person) => {
      const token = randomBytes(32).toString('base64url');
      const [oldest] = links.keys();
      if (oldest !== undefined && links.size >= MAX_LINKS) links.delete(oldest);
      links.set(sha256Hex(token), { person, ends_at: now() + LINK_MINUTES * 60_000, is_used: false });
      return token;
    },
    standing,
    // No await between the check and the mark, so that no other call can run in between.
    take: (token) => {
      const hash = sha256Hex(token);
      const link = links.get(hash);
      if (link === undefined || standing(token) !== 'open') return null;
      links.set(hash, { ...link, is_used: true });
      return link.person;
    },
  };
};
