import { RENDERS_PATH } from '../../schemas/blobs/paths.ts';

/** A part of all paths of renders, which one process sweeps at a time. */
export type Shard = { readonly name: string; readonly prefixes: readonly string[] };

/** Of ULIDs, in their order. */
const DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
/** What ids of ours and of the past may have, and what ends them. */
const CHARACTERS = [...'/-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'];

const ID = `${RENDERS_PATH}rend_`;
/** Ids of requests with an Idempotency-Key have time 0, and random digits after it. */
const KEYED = `${ID}${'0'.repeat(10)}`;
/** All others begin with the time: from 2004 to 2039 with these two digits. */
const TIMED = `${ID}01`;

/**
 * The prefixes of all paths below a root that have none of some prefixes.
 *
 * @param covered prefixes that begin with the root; none of them begins with another
 */
export const prefixesBeside = (root: string, covered: readonly string[]): readonly string[] => {
  if (covered.length === 0) return [root];
  if (covered.includes(root)) return [];
  return CHARACTERS.flatMap((character) => {
    const below = `${root}${character}`;
    return prefixesBeside(
      below,
      covered.filter((prefix) => prefix.startsWith(below)),
    );
  });
};

/**
 * Each has an equal part of the ids that were made of a key, and every 32nd slice of 12.4 days of those that begin with
 * their time (the fourth digit says which). The last one has whatever else there is.
 */
export const renderShards = (): readonly Shard[] => {
  const shards = DIGITS.map((digit) => ({
    name: digit,
    prefixes: [`${KEYED}${digit}`, ...DIGITS.map((year) => `${TIMED}${year}${digit}`)],
  }));
  const covered = shards.flatMap(({ prefixes }) => prefixes);
  return [...shards, { name: 'others', prefixes: prefixesBeside(RENDERS_PATH, covered) }];
};
