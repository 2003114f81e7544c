import { EMPTY_TREE, type GrowingTree, grown, rootOf } from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { SignedSize } from './first-difference.ts';
import { entriesFrom } from './heads-log.ts';
import { NotExtended } from './not-extended.ts';
import { placeText } from './notarized-topics.ts';
import type { ProofPaths } from './proof-paths.ts';
import { headsTile } from './stored-tiles.ts';

/** By `topic/partition`: sizes that were signed, the smallest first; the last, and one for each bundle of entries. */
export type SignedSizes = ReadonlyMap<string, readonly SignedSize[]>;

export type HeadsVerdict =
  | { readonly tag: 'as_signed'; readonly signed: SignedSizes }
  /** The entries are not those of the checkpoint. */
  | { readonly tag: 'differs'; readonly said: string };

const BUNDLE = 256;

/** Which entry is not the one of the stored tiles; null where they agree. */
const changedEntry = async (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  leaves: readonly Buffer[],
  first: number,
): Promise<number | null> => {
  const hashes = await headsTile(blobs, paths)(0, first / BUNDLE, leaves.length);
  const i = leaves.findIndex((leaf, at) => hashes[at]?.equals(leaf) !== true);
  return i === -1 ? null : first + i;
};

type KeptSize = { readonly bundle: number; readonly at: SignedSize };

/** Keeps two of each bundle, the first and the last: what differs between them is found by the tiles. */
const addSize = (sizes: KeptSize[], bundle: number, at: SignedSize): string | null => {
  const [before, last] = [sizes.at(-2), sizes.at(-1)];
  if (last !== undefined && at.size < last.at.size) return `has a smaller tree than ${last.at.size} records`;
  if (last?.at.size === at.size) return last.at.root.equals(at.root) ? null : `has another tree of ${at.size} records`;
  if (before?.bundle === bundle) sizes[sizes.length - 1] = { bundle, at };
  else sizes.push({ bundle, at });
  return null;
};

/**
 * Computes the log of heads anew from its entries, and compares it with these checkpoints, the smallest first: that each
 * of them is a beginning of it. Then what the entries say was signed.
 */
export const verifyHeads = async (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  checkpoints: readonly SignedSize[],
): Promise<HeadsVerdict> => {
  const size = checkpoints.at(-1)?.size ?? 0;
  const signed = new Map<string, KeptSize[]>();
  let tree: GrowingTree = EMPTY_TREE;
  let bundle: Buffer[] = [];
  let reached = 0;
  try {
    for await (const { index, bytes, heads } of entriesFrom(blobs, paths, 0, size)) {
      const leaf = leafHash(bytes);
      tree = grown(tree, [leaf]).tree;
      bundle.push(leaf);
      for (const head of heads) {
        const place = placeText(head);
        const sizes = signed.get(place) ?? [];
        const fault = addSize(sizes, Math.floor(index / BUNDLE), head);
        if (fault !== null) return { tag: 'differs', said: `${place}: entry ${index} of the log of heads ${fault}` };
        signed.set(place, sizes);
      }
      for (const checkpoint of checkpoints.filter((one) => one.size === tree.size)) {
        if (rootOf(tree).equals(checkpoint.root)) {
          reached = checkpoint.size;
          continue;
        }
        const changed = await changedEntry(blobs, paths, bundle, Math.floor(index / BUNDLE) * BUNDLE);
        const said =
          changed === null ? `entries from ${reached} to ${checkpoint.size - 1}, tiles too,` : `entry ${changed}`;
        return {
          tag: 'differs',
          said: `the log of heads: ${said} is not what was signed of ${checkpoint.size} entries`,
        };
      }
      if (tree.size % BUNDLE !== 0) continue;
      const changed = await changedEntry(blobs, paths, bundle, tree.size - BUNDLE);
      if (changed !== null)
        return { tag: 'differs', said: `the log of heads: entry ${changed} is not what its tile has` };
      bundle = [];
    }
  } catch (error) {
    if (error instanceof NotExtended) return { tag: 'differs', said: error.message };
    throw error;
  }
  return {
    tag: 'as_signed',
    signed: new Map(Array.from(signed, ([place, sizes]) => [place, sizes.map(({ at }) => at)])),
  };
};
