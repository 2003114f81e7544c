import { hash } from 'node:crypto';
import { listPosition } from './position.ts';

/**
 * A skip list over each list of documents: an element in 16 is of level 1 or above, one in 256 of level 2 or above, one in
 * 4,096 of level 3, drawn by its id. So a few of them tell how far a part of the list goes that holds about so many
 * elements, however they lie in time. They bound what is read and never what is found, so a document may lack its level.
 */
export type SkipLevel = 1 | 2 | 3;

/** The elements of a list on one above level 0, and those above a level on one above the next. */
export const SKIP_STEP = 16;

export const levelAbove = (level: SkipLevel): SkipLevel | null => (level === 1 ? 2 : level === 2 ? 3 : null);

/** 0 for most. Of a hash, as ids are made one after the other. An element is of one level: those of 2 are not of 1. */
export const skipLevel = (id: string): 0 | SkipLevel => {
  const drawn = Number.parseInt(hash('sha256', id).slice(0, 12), 16);
  if (drawn % SKIP_STEP !== 0) return 0;
  if (drawn % SKIP_STEP ** 2 !== 0) return 1;
  return drawn % SKIP_STEP ** 3 === 0 ? 3 : 2;
};

/** A list: the token of its elements, and of those of a level. */
export type TokenList = (level: 0 | SkipLevel) => string;

/** What stands before the position in the indexed string of a level. No id has a `#`. */
export const skipPrefix = (prefix: string, level: SkipLevel): string => `${prefix}#${level}:`;

/** The indexed string by which a list by date finds an element of a level above 0. */
export const skipKey = (prefix: string, level: SkipLevel, created_at: number, id: string): string =>
  `${skipPrefix(prefix, level)}${listPosition(created_at, id)}`;

/** The token by which a search finds those of a level among the elements that have a token. No word has a `#`. */
export const skipToken = (scope: string, token: string, level: SkipLevel): string =>
  `${scope}:#${level}${token.slice(scope.length + 1)}`;

/** All tokens of an element: those that it is found by and, where it has a level above 0, as many for the level. */
export const withSkipTokens = (scope: string, id: string, tokens: readonly string[]): readonly string[] => {
  const level = skipLevel(id);
  return level === 0 ? tokens : [...tokens, ...tokens.map((token) => skipToken(scope, token, level))];
};
