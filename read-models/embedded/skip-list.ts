import { hash } from 'node:crypto';
import { listPosition } from '../position.ts';

/**
 * A skip list over each list of documents (ADR 72). One element in 16 is above level 0, one in 256 above level 1, one
 * in 4,096 above level 2. A hash of the id chooses the level. So a few elements of a level bound a window with about a
 * known number of elements. A document without its level only makes windows larger.
 */
export type SkipLevel = 1 | 2 | 3;

/** Each level has about one element for this many elements of the level below. */
export const SKIP_STEP = 16;

export const levelAbove = (level: SkipLevel): SkipLevel | null => (level === 1 ? 2 : level === 2 ? 3 : null);

/**
 * The level of an element, from a hash, because ids increase with time. An element has only one level: an element of
 * level 2 is not in level 1.
 */
export const skipLevel = (id: string): 0 | SkipLevel => {
  const drawn = Number.parseInt(hash('sha256', id).slice(0, 12), 16);
  if (drawn % SKIP_STEP !== 0) return 0;
  if (drawn % SKIP_STEP ** 2 !== 0) return 1;
  return drawn % SKIP_STEP ** 3 === 0 ? 3 : 2;
};

export const skipFieldName = <F extends string>(field: F): `${F}_skip` => `${field}_skip`;

/** Differs from every other prefix, because no id contains `#`. */
export const skipPrefix = (prefix: string, level: SkipLevel): string => `${prefix}#${level}`;

export const skipKey = (prefix: string, level: SkipLevel, created_at: number, id: string): string =>
  `${skipPrefix(prefix, level)}:${listPosition(created_at, id)}`;

/** The token of a level in addition to a search token. No word contains `#`. */
export const skipToken = (scope: string, token: string, level: SkipLevel): string =>
  `${scope}:#${level}${token.slice(scope.length + 1)}`;

/**
 * The token of a level in addition to the token of an audit list: the level is the second member of the array. Throws
 * for a token without a level, which would be the same on each level.
 */
export const skipListToken = (token: string, level: SkipLevel): string => {
  if (!token.includes(',0,')) throw new Error(`the token ${token} has no level`);
  return token.replace(',0,', `,${level},`);
};

export const withLevelTokens = (
  id: string,
  tokens: readonly string[],
  atLevel: (token: string, level: SkipLevel) => string,
): readonly string[] => {
  const level = skipLevel(id);
  return level === 0 ? tokens : [...tokens, ...tokens.map((token) => atLevel(token, level))];
};
