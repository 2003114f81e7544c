import { type FullTile, TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { openTreeWriter } from '../../proofs/merkle/tree-writer.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { NotExtended } from './not-extended.ts';
import { type NotarizedPartition, partitionText } from './notarized-topics.ts';
import { allLeaves, partitionLeaves } from './partition-leaves.ts';
import type { ProofPaths } from './proof-paths.ts';
import { partitionTile } from './stored-tiles.ts';

export type SignedSize = { readonly size: number; readonly root: Buffer };

/** A signed size, with the index of its entry in the log of heads. */
export type SignedHead = SignedSize & { readonly entry: number };

/** One of the records from `from` to `to` - 1 differs from the signed one. */
export type RecordMismatch = { readonly from: number; readonly to: number; readonly message: string };

export type PartitionCheckDependencies = {
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
  readonly found: () => RecordMismatch | null;
};

const range = (from: number, to: number): string =>
  to - from === 1 ? `record ${from}` : `a record from ${from} to ${to - 1}`;

const TILE_IS_WRONG = ': the log has what was signed, and the tile has not';

const signedBy = (entry: number): string => `as entry ${entry} of the log of heads has it`;

type State = {
  /** Size up to which the log matches the signed roots. */
  readonly agreed: number;
  readonly found: RecordMismatch | null;
  /** First difference between a stored tile and the log, while no head has decided yet which of the two is right. */
  readonly suspect: RecordMismatch | null;
  /** First stored tile that differs from the log where the log matches the signed roots. */
  readonly damaged: RecordMismatch | null;
};

const START: State = { agreed: 0, found: null, suspect: null, damaged: null };

const differing = (place: NotarizedPartition, from: number, to: number, why: string): RecordMismatch => ({
  ...{ from, to },
  message: `${partitionText(place)}: ${range(from, to)} ${why}`,
});

const damagedTile = ({ from, to, message }: RecordMismatch): RecordMismatch => ({
  from,
  to,
  message: `${message}${TILE_IS_WRONG}`,
});

/** A tile that differs from the log: before `agreed` the tile is damaged, after it a head must decide. */
const withTileDifference = (state: State, difference: RecordMismatch): State =>
  difference.to <= state.agreed
    ? { ...state, damaged: state.damaged ?? damagedTile(difference) }
    : { ...state, suspect: state.suspect ?? difference };

/** The log matches the signed root, so a suspect tile is damaged. */
const withAgreed = ({ suspect, damaged, found }: State, agreed: number): State => ({
  ...{ agreed, found, suspect: null },
  damaged: damaged ?? (suspect === null ? null : damagedTile(suspect)),
});

const tileDifferences = async (
  { blobs, paths }: Pick<PartitionCheckDependencies, 'blobs' | 'paths'>,
  place: NotarizedPartition,
  { level, index, hashes }: FullTile,
): Promise<readonly RecordMismatch[]> => {
  const wide = TILE_WIDTH ** level;
  const from = index * TILE_WIDTH * wide;
  const whole = (why: string): RecordMismatch => differing(place, from, from + TILE_WIDTH * wide, why);
  try {
    const stored = await partitionTile(blobs, paths, place, level, index);
    if (stored === null) return [whole('has no stored tile')];
    return hashes.flatMap((hash, i) =>
      stored[i]?.equals(hash) === true
        ? []
        : [differing(place, from + i * wide, from + (i + 1) * wide, 'is not what the stored tile has')],
    );
  } catch (error) {
    if (!(error instanceof NotExtended)) throw error;
    return [whole(`cannot be compared with its tile: ${error.message}`)];
  }
};

/**
 * The mismatch to report if the log does not match the root of a head.
 * @param read number of records that were read; at least the size of the head
 */
const wrongRoot = (
  place: NotarizedPartition,
  { agreed, suspect }: State,
  { size, entry }: SignedHead,
  read: number,
): RecordMismatch => {
  const { message } = differing(place, agreed, size, `is not what was signed, ${signedBy(entry)}`);
  // The owner of the key may have written a tile that points to another record. The range is certain, but the record
  // depends on the tile.
  if (suspect !== null && suspect.from < size)
    return {
      ...suspect,
      message: `${suspect.message}, and ${range(agreed, size)} is not what was signed, ${signedBy(entry)}`,
    };
  // The stored tiles match the log, but may have been rewritten after signing: they cannot locate the record for
  // certain.
  const edge = read % TILE_WIDTH === 0 ? agreed : size - (size % TILE_WIDTH);
  const by_tiles = edge > agreed ? `; where the stored tiles are those of then, one from ${edge} on` : '';
  return { from: agreed, to: size, message: `${message}${by_tiles}` };
};

const endsEarly = (
  place: NotarizedPartition,
  { suspect }: State,
  { size, entry }: SignedHead,
  end: number,
): RecordMismatch =>
  suspect !== null
    ? { ...suspect, message: `${suspect.message}, and ${size} records were signed, ${signedBy(entry)}` }
    : differing(place, end, size, `was signed, ${signedBy(entry)}, and the log ends at ${end}`);

type Bounds = { readonly start: number; readonly end: number };

/** Null if the log has the beginning of the partition. */
const lostRecords = (place: NotarizedPartition, bounds: Bounds | null, last: SignedHead): RecordMismatch | null => {
  if (bounds === null)
    return differing(place, 0, last.size, `was signed, ${signedBy(last.entry)}, and the log has no such partition`);
  return bounds.start > 0 ? differing(place, 0, bounds.start, 'is no longer in the log') : null;
};

/**
 * Compares one partition with all of its signed heads, in one pass. Only the roots of the heads decide, because an
 * attacker who rewrites records can write matching tiles. Tiles only locate the changed record.
 * @param bounds of the partition in the log; null if the log lacks the partition
 */
export const openPartitionCheck = (
  deps: PartitionCheckDependencies,
  place: NotarizedPartition,
  bounds: Bounds | null,
): PartitionCheck => {
  const tree = openTreeWriter();
  const end = bounds?.end ?? 0;
  let state = START;

  const addTile = async (tile: FullTile): Promise<void> => {
    for (const difference of await tileDifferences(deps, place, tile)) state = withTileDifference(state, difference);
  };

  const compareRoot = async (head: SignedHead): Promise<void> => {
    if (tree.root().equals(head.root)) {
      state = withAgreed(state, head.size);
      return;
    }
    // Reads on to the end of the last tile. If that tile is stored by now, it locates the changed record.
    const full = Math.min(end, Math.ceil(head.size / TILE_WIDTH) * TILE_WIDTH);
    if (state.suspect === null)
      for (const leaf of await allLeaves(deps.log, place, tree.size(), full))
        for (const tile of tree.append(leaf)) await addTile(tile);
    state = { ...state, found: wrongRoot(place, state, head, tree.size()) };
  };

  return {
    compare: async (heads, onLeaves = () => undefined) => {
      const last = heads.at(-1);
      if (last === undefined || state.found !== null) return;
      state = { ...state, found: lostRecords(place, bounds, last) };
      if (state.found !== null) return;
      let next = 0;
      const compareReached = async (): Promise<void> => {
        for (let head = heads[next]; head?.size === tree.size() && state.found === null; head = heads[next]) {
          await compareRoot(head);
          next += 1;
        }
      };
      await compareReached();
      for await (const leaves of partitionLeaves(deps.log, place, tree.size(), Math.min(last.size, end))) {
        for (const leaf of leaves) {
          const tiles = tree.append(leaf);
          for (const tile of tiles) await addTile(tile);
          if (heads[next]?.size === tree.size()) await compareReached();
          if (state.found !== null) return;
        }
        onLeaves(leaves.length);
      }
      if (state.found === null && last.size > end) state = { ...state, found: endsEarly(place, state, last, end) };
    },
    found: () => state.found ?? state.damaged,
  };
};
