import { RENDERS_PATH } from '../../schemas/blobs/paths.ts';

export type Shard = { readonly name: string; readonly prefixes: readonly string[] };

const DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
const CHARACTERS = [...'/-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'];

const ID = `${RENDERS_PATH}rend_`;
/** Ids of requests with an Idempotency-Key have the time 0 and then random digits. */
const KEYED = `${ID}${'0'.repeat(10)}`;
/** All other ids begin with the time. These two digits cover 2004 to 2039. */
const TIMED = `${ID}01`;

/**
 * Prefixes that together cover all paths below `root`, except those that begin with one of `covered`.
 *
 * @param covered prefixes of which none begins with another
 */
export const complementPrefixes = (root: string, covered: readonly string[]): readonly string[] => {
  if (covered.length === 0) return [root];
  if (covered.includes(root)) return [];
  return CHARACTERS.flatMap((character) => {
    const below = `${root}${character}`;
    return complementPrefixes(
      below,
      covered.filter((prefix) => prefix.startsWith(below)),
    );
  });
};

/**
 * The shards, one for each digit. A shard has an equal part of the ids with time 0. The other ids begin with their
 * time, which the fourth digit divides into slices of 12.4 days: a shard has every 32nd slice. The last shard has all
 * ids of other forms.
 */
export const renderShards = (): readonly Shard[] => {
  const shards = DIGITS.map((digit) => ({
    name: digit,
    prefixes: [`${KEYED}${digit}`, ...DIGITS.map((year) => `${TIMED}${year}${digit}`)],
  }));
  const covered = shards.flatMap(({ prefixes }) => prefixes);
  return [...shards, { name: 'others', prefixes: complementPrefixes(RENDERS_PATH, covered) }];
};
