import type { StoredEntry } from '../../platform/proof-log/heads-log.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import { partitionText } from '../../platform/proof-log/notarized-topics.ts';
import type { Head } from '../../proofs/heads/heads-entry.ts';
import { appendLeaves, EMPTY_TREE, type GrowingTree, TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';

/** The part of the log of heads that is needed to append to it. */
export type HeadsState = {
  readonly tree: GrowingTree;
  /** The entries of the last bundle, which is not full yet. */
  readonly entries: readonly Buffer[];
  /** The last head of each partition, with the index of its entry. */
  readonly heads: ReadonlyMap<string, Head & { readonly entry: number }>;
  /** Partitions that the last bundle names so far. Each bundle must name all partitions. */
  readonly named: ReadonlySet<string>;
};

export const NO_HEADS: HeadsState = { tree: EMPTY_TREE, entries: [], heads: new Map(), named: new Set() };

/** Throws if an entry has an older or another tree of a partition than an earlier entry: trees only grow. */
const checkOrder = (before: Head | undefined, head: Head, index: number): void => {
  if (before === undefined || head.size > before.size) return;
  if (head.size === before.size && head.root.equals(before.root)) return;
  throw new NotExtended(
    `entry ${index} of the log of heads has ${partitionText(head)} at size ${head.size}, but an earlier entry has another tree of size ${before.size}`,
  );
};

export const withEntry = (state: HeadsState, { bytes, heads, index }: StoredEntry): HeadsState => {
  for (const head of heads) checkOrder(state.heads.get(partitionText(head)), head, index);
  const { tree } = appendLeaves(state.tree, [leafHash(bytes)]);
  const is_full = tree.size % TILE_WIDTH === 0;
  const places = heads.map((head) => [partitionText(head), { ...head, entry: index }] as const);
  return {
    tree,
    entries: is_full ? [] : [...state.entries, bytes],
    heads: new Map([...state.heads, ...places]),
    named: is_full ? new Set() : new Set([...state.named, ...places.map(([place]) => place)]),
  };
};
