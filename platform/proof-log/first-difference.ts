import {
  EMPTY_TREE,
  type FullTile,
  type GrowingTree,
  grown,
  rootOf,
  TILE_WIDTH,
} from '../../proofs/merkle/growing-tree.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { type Place, placeText } from './notarized-topics.ts';
import { partitionLeaves } from './partition-leaves.ts';
import type { ProofPaths } from './proof-paths.ts';
import { partitionTile } from './stored-tiles.ts';

/** A size and the root that was signed of it. */
export type SignedSize = { readonly size: number; readonly root: Buffer };

/** Records from … to - 1 of a partition: what is not as it was signed is among them. */
export type Difference = { readonly from: number; readonly to: number; readonly said: string };

const range = (from: number, to: number): string =>
  to - from === 1 ? `record ${from}` : `a record from ${from} to ${to - 1}`;

const differing = (place: Place, from: number, to: number, why: string): Difference => ({
  ...{ from, to },
  said: `${placeText(place)}: ${range(from, to)} ${why}`,
});

/**
 * What of a partition is not as it was signed, and where that begins: by the stored tiles the very record, where they
 * are no help the records between two signed sizes, or those of the right edge. Null where all is as it was signed.
 *
 * @param signed sizes with their roots, the smallest first
 * @param onLeaves told of how many were read
 */
export const firstDifference = async (
  deps: {
    readonly log: Pick<EventLog, 'bounds' | 'replay'>;
    readonly blobs: Pick<ProofBlobs, 'read'>;
    readonly paths: ProofPaths;
  },
  place: Place,
  signed: readonly SignedSize[],
  onLeaves: (count: number) => void = () => undefined,
): Promise<Difference | null> => {
  const { log, blobs, paths } = deps;
  const size = signed.at(-1)?.size ?? 0;
  const bounds = (await log.bounds(place.topic)).find(({ partition }) => partition === place.partition);
  const { start, end } = bounds ?? { start: 0, end: 0 };
  if (size === 0) return null;
  if (start > 0) return differing(place, 0, start, 'is no longer in the log');

  let tree: GrowingTree = EMPTY_TREE;
  /** How far the log has the roots that were signed. */
  let agreed = 0;
  let next = 0;
  /** A size whose root the log does not have. What of it differs, the next full tile may say. */
  let wrong: { readonly found: Difference; readonly until: number } | null = null;

  const tileDifference = async ({ level, index, hashes }: FullTile): Promise<Difference | null> => {
    const stored = await partitionTile(blobs, paths, place, level, index);
    const wide = TILE_WIDTH ** level;
    const from = index * TILE_WIDTH * wide;
    if (stored === null) return differing(place, from, from + TILE_WIDTH * wide, 'has no stored tile');
    const i = stored.findIndex((hash, at) => hashes[at]?.equals(hash) !== true);
    return i === -1
      ? null
      : differing(place, from + i * wide, from + (i + 1) * wide, 'is not what the stored tile has');
  };

  /** Stored tiles agree with the log as far as they go. Nothing says that they are those of before. */
  const wrongRoot = (head: SignedSize): Difference => {
    const from = Math.max(agreed, head.size - (head.size % TILE_WIDTH));
    const { said, to } = differing(place, from, head.size, 'is not what was signed');
    const anew = `or, where stored tiles were made anew, one from ${agreed} on`;
    return { from: agreed, to, said: from === agreed ? said : `${said}; ${anew}` };
  };

  for await (const leaves of partitionLeaves(log, place, 0, Math.min(size, end))) {
    let taken = 0;
    while (taken < leaves.length) {
      const head: SignedSize | undefined = wrong === null ? signed[next] : undefined;
      const upTo = Math.min(leaves.length, taken + (head?.size ?? wrong?.until ?? size) - tree.size);
      const more = grown(tree, leaves.slice(taken, upTo));
      taken = upTo;
      tree = more.tree;
      for (const tile of more.tiles) {
        const found = await tileDifference(tile);
        if (found !== null) return found;
      }
      if (wrong !== null && tree.size === wrong.until) return wrong.found;
      if (head === undefined || tree.size < head.size) continue;
      if (rootOf(tree).equals(head.root)) agreed = head.size;
      else wrong = { found: wrongRoot(head), until: Math.ceil(head.size / TILE_WIDTH) * TILE_WIDTH };
      if (wrong?.until === tree.size) return wrong.found;
      next += 1;
    }
    onLeaves(leaves.length);
  }
  if (wrong !== null) return wrong.found;
  return end < size ? differing(place, end, size, `was signed, and the log ends at ${end}`) : null;
};
