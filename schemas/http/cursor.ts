export type ListName =
  | 'renders'
  | 'projects'
  | 'versions'
  | 'accounts'
  | 'account_invitations'
  | 'account_teams'
  | 'team_deliveries'
  | 'team_invitations'
  | 'team_keys'
  | 'team_members'
  | 'team_audit'
  | 'account_audit'
  | 'team_renders'
  | 'account_statement';

/** The identity of a list. A cursor is valid for one list only; `limit` may change from page to page. */
export type ListIdentity = {
  readonly endpoint: ListName;
  /** The project, team, account or endpoint whose elements are listed. */
  readonly scope: string;
  readonly status: string | null;
  /** Null in a search, which has no order. */
  readonly order: 'asc' | 'desc' | null;
  /** The folded search text; null without a search. */
  readonly search: string | null;
};

export type ListPosition = {
  /** Quality of the name match, 0 is best; 0 without a search. */
  readonly tier: number;
  /** See `listPosition`. */
  readonly position: string;
};

/** HMAC-SHA256 with a key that only the service knows. */
export type Mac = (bytes: Uint8Array) => Uint8Array;

const VERSION = 1;
const HEAD_BYTES = 2;
const MAC_BYTES = 16;
const LONGEST_CHARACTERS = 512;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Signs a position in a list. JSON contains no NUL, so two different pairs of list and position never give the same
 * bytes.
 */
const signature = (mac: Mac, list: ListIdentity, place: Uint8Array): Uint8Array => {
  const { endpoint, scope, status, order, search } = list;
  const text = JSON.stringify([endpoint, scope, status, order, search]);
  return mac(Buffer.concat([Buffer.from(`${text}\0`), place])).subarray(0, MAC_BYTES);
};

/** Compares in constant time. */
const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ (b[i] ?? 0)), 0) === 0;

/**
 * base64url of a version byte, the tier, the position, and 16 bytes of an HMAC. The HMAC covers the list, so that
 * clients cannot create cursors.
 */
export const encodeCursor = (mac: Mac, list: ListIdentity, { tier, position }: ListPosition): string => {
  const place = Buffer.concat([Buffer.of(VERSION, tier), Buffer.from(position, 'utf8')]);
  return Buffer.concat([place, signature(mac, list, place)]).toString('base64url');
};

/** Decodes a cursor; null if it is not a valid cursor of this list. Computes at most one HMAC of about 1 KiB. */
export const decodeCursor = (mac: Mac, list: ListIdentity, cursor: string): ListPosition | null => {
  if (cursor.length > LONGEST_CHARACTERS || !BASE64URL.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  // The last base64url character has unused bits; accept only the canonical spelling.
  if (bytes.toString('base64url') !== cursor) return null;
  const [version, tier] = bytes;
  if (version !== VERSION || tier === undefined || bytes.length <= HEAD_BYTES + MAC_BYTES) return null;
  const place = bytes.subarray(0, -MAC_BYTES);
  if (!equal(signature(mac, list, place), bytes.subarray(-MAC_BYTES))) return null;
  return { tier, position: place.subarray(HEAD_BYTES).toString('utf8') };
};
