import { RENDERS_PATH } from '../../schemas/blobs/paths.ts';

/** A part of all paths of renders, which one process sweeps at a time. */
export type Shard = { readonly name: string; readonly prefixes: readonly string[] };

/** Digits of ULIDs, in their order. */
const DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
/** Other characters of current and former ids, and the end of an id. */
const CHARACTERS = [...'/-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'];

const ID = `${RENDERS_PATH}rend_`;
/** Ids of requests with an Idempotency-Key have time 0, followed by random digits. */
const KEYED = `${ID}${'0'.repeat(10)}`;
/** All others begin with the time: these two digits cover 2004 to 2039. */
const TIMED = `${ID}01`;

/**
 * The prefixes of all paths below a root that have none of the given prefixes.
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
 * Each shard has an equal part of the ids that were derived from a key. It also has every 32nd slice
 * of 12.4 days of the ids that begin with their time (by the fourth digit). The last shard also has all other ids.
 */
export const renderShards = (): readonly Shard[] => {
  const shards = DIGITS.map((digit) => ({
    name: digit,
    prefixes: [`${KEYED}${digit}`, ...DIGITS.map((year) => `${TIMED}${year}${digit}`)],
  }));
  const covered = shards.flatMap(({ prefixes }) => prefixes);
  return [...shards, { name: 'others', prefixes: prefixesBeside(RENDERS_PATH, covered) }];
};
