import { type FullTile, TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { openTreeWriter } from '../../proofs/merkle/tree-writer.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { NotExtended } from './not-extended.ts';
import { type Place, placeText } from './notarized-topics.ts';
import { allLeaves, partitionLeaves } from './partition-leaves.ts';
import type { ProofPaths } from './proof-paths.ts';
import { partitionTile } from './stored-tiles.ts';

/** A tree size and its signed root. */
export type SignedSize = { readonly size: number; readonly root: Buffer };

/** A signed size, with the index of its entry in the log of heads. */
export type SignedHead = SignedSize & { readonly entry: number };

/** The records from … to - 1 of a partition include one that differs from what was signed. */
export type Difference = { readonly from: number; readonly to: number; readonly said: string };

export type PartitionDeps = {
  readonly log: Pick<EventLog, 'replay'>;
  readonly blobs: Pick<ProofBlobs, 'read'>;
  readonly paths: ProofPaths;
};

export type PartitionCheck = {
  /**
   * Continues reading the partition, and compares the root of each head. Heads must come in the order of their sizes.
   * Heads after the first difference are ignored.
   * @param onLeaves called with the number of records that were read
   */
  readonly compare: (heads: readonly SignedHead[], onLeaves?: (count: number) => void) => Promise<void>;
  /** The first difference. If there is no difference, the first stored tile that does not match the log; else null. */
  readonly found: () => Difference | null;
};

const range = (from: number, to: number): string =>
  to - from === 1 ? `record ${from}` : `a record from ${from} to ${to - 1}`;

const TILE_IS_WRONG = ': the log has what was signed, and the tile has not';

const signedBy = (entry: number): string => `as entry ${entry} of the log of heads has it`;

/**
 * Compares one partition with all of its signed heads, in one pass. Only the roots of the heads decide, because an
 * attacker who rewrites records can write matching tiles. Tiles only locate the changed record.
 * @param bounds of the partition in the log; null if the log lacks the partition
 */
export const openPartitionCheck = (
  { log, blobs, paths }: PartitionDeps,
  place: Place,
  bounds: { readonly start: number; readonly end: number } | null,
): PartitionCheck => {
  const tree = openTreeWriter();
  const end = bounds?.end ?? 0;
  /** Size up to which the log matches the signed roots. */
  let agreed = 0;
  let found: Difference | null = null;
  /** First difference between a stored tile and the log, while no head has decided yet which of the two is right. */
  let suspect: Difference | null = null;
  let damaged: Difference | null = null;

  const differing = (from: number, to: number, why: string): Difference => ({
    ...{ from, to },
    said: `${placeText(place)}: ${range(from, to)} ${why}`,
  });

  /** Notes a tile that differs from the log: before `agreed` the tile is damaged, after it a head must decide. */
  const addTile = async ({ level, index, hashes }: FullTile): Promise<void> => {
    const wide = TILE_WIDTH ** level;
    const from = index * TILE_WIDTH * wide;
    const add = (at: number, to: number, why: string): void => {
      if (to <= agreed) damaged ??= differing(at, to, `${why}${TILE_IS_WRONG}`);
      else suspect ??= differing(at, to, why);
    };
    try {
      const stored = await partitionTile(blobs, paths, place, level, index);
      if (stored === null) return add(from, from + TILE_WIDTH * wide, 'has no stored tile');
      for (const [i, hash] of hashes.entries())
        if (stored[i]?.equals(hash) !== true)
          add(from + i * wide, from + (i + 1) * wide, 'is not what the stored tile has');
    } catch (error) {
      if (!(error instanceof NotExtended)) throw error;
      add(from, from + TILE_WIDTH * wide, `cannot be compared with its tile: ${error.message}`);
    }
  };

  const append = async (leaf: Buffer): Promise<void> => {
    for (const tile of tree.append(leaf)) await addTile(tile);
  };

  const wrongRoot = async ({ size, entry }: SignedHead): Promise<Difference> => {
    // If the tile at the right edge is full and stored by now, it locates the record.
    const full = Math.min(end, Math.ceil(size / TILE_WIDTH) * TILE_WIDTH);
    if (suspect === null) for (const leaf of await allLeaves(log, place, tree.size(), full)) await append(leaf);
    const { said } = differing(agreed, size, `is not what was signed, ${signedBy(entry)}`);
    // The owner of the key may have written a tile that points to another record. The range is certain, but the record
    // depends on the tile.
    if (suspect !== null && suspect.from < size)
      return {
        ...suspect,
        said: `${suspect.said}, and ${range(agreed, size)} is not what was signed, ${signedBy(entry)}`,
      };
    // The stored tiles match the log, but may have been rewritten after signing: they cannot locate the record for certain.
    const edge = tree.size() % TILE_WIDTH === 0 ? agreed : size - (size % TILE_WIDTH);
    const by_tiles = edge > agreed ? `; where the stored tiles are those of then, one from ${edge} on` : '';
    return { from: agreed, to: size, said: `${said}${by_tiles}` };
  };

  const endsEarly = ({ size, entry }: SignedHead): Difference =>
    suspect !== null
      ? { ...suspect, said: `${suspect.said}, and ${size} records were signed, ${signedBy(entry)}` }
      : differing(end, size, `was signed, ${signedBy(entry)}, and the log ends at ${end}`);

  const reach = async (head: SignedHead): Promise<void> => {
    if (!tree.root().equals(head.root)) {
      found = await wrongRoot(head);
      return;
    }
    agreed = head.size;
    if (suspect === null) return;
    const { from, to, said } = suspect;
    damaged ??= { from, to, said: `${said}${TILE_IS_WRONG}` };
    suspect = null;
  };

  const nothingOf = (last: SignedHead): Difference | null => {
    if (bounds === null)
      return differing(0, last.size, `was signed, ${signedBy(last.entry)}, and the log has no such partition`);
    return bounds.start > 0 ? differing(0, bounds.start, 'is no longer in the log') : null;
  };

  return {
    compare: async (heads, onLeaves = () => undefined) => {
      const last = heads.at(-1);
      if (last === undefined || found !== null) return;
      found = nothingOf(last);
      if (found !== null) return;
      let next = 0;
      const reachNext = async (): Promise<void> => {
        for (let head = heads[next]; head?.size === tree.size() && found === null; head = heads[next]) {
          await reach(head);
          next += 1;
        }
      };
      await reachNext();
      for await (const leaves of partitionLeaves(log, place, tree.size(), Math.min(last.size, end))) {
        for (const leaf of leaves) {
          const tiles = tree.append(leaf);
          for (const tile of tiles) await addTile(tile);
          if (heads[next]?.size === tree.size()) await reachNext();
          if (found !== null) return;
        }
        onLeaves(leaves.length);
      }
      if (found === null && last.size > end) found = endsEarly(last);
    },
    found: () => found ?? damaged,
  };
};
