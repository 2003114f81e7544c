import { parseEntry, type StoredEntry } from '../../platform/proof-log/heads-log.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import { type PartitionEnd, partitionText } from '../../platform/proof-log/notarized-topics.ts';
import { headsEntryText, MAX_HEADS } from '../../proofs/heads/heads-entry.ts';
import { TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { bundleBytes, entriesOfBundle } from '../../proofs/tiles/tile-bytes.ts';
import type { TreeHead } from '../checkpoint/signed-top.ts';
import type { NotaryDependencies } from '../notary-dependencies.ts';
import { extendTrees, followTrees, type PartitionTrees } from '../trees/partition-trees.ts';
import type { HeadsState } from './heads-state.ts';

/** The signed heads, and the partitions' trees that match them. */
export type NotarizedState = { readonly heads: HeadsState; readonly trees: PartitionTrees };

type Next = { readonly entry: StoredEntry; readonly trees: PartitionTrees };

/** The next entry, if a notary wrote it but died before it signed it; null without one. */
const writtenEntry = async (
  { blobs, paths }: NotaryDependencies,
  { tree, entries }: HeadsState,
): Promise<StoredEntry | null> => {
  const width = entries.length + 1;
  const path = paths.entries(Math.floor(tree.size / TILE_WIDTH), width);
  const found = await blobs.read(path);
  if (found === null) return null;
  const all = entriesOfBundle(found.bytes, width);
  const last = all?.at(-1);
  if (all === null || last === undefined || !entries.every((entry, i) => all[i]?.equals(entry)))
    throw new NotExtended(`${path} does not begin with the entries that were signed`);
  return parseEntry(tree.size, last);
};

/** Writes an entry with the heads that have grown; null if another notary was faster. */
const writeEntry = async (
  deps: NotaryDependencies,
  { heads, trees }: NotarizedState,
  ends: readonly PartitionEnd[],
): Promise<Next | null> => {
  const { blobs, paths, clock } = deps;
  const extended = await extendTrees(deps, trees, ends.slice(0, MAX_HEADS));
  const text = headsEntryText({ time_ms: clock.now(), heads: extended.heads });
  const bytes = Buffer.from(text);
  const entries = [...heads.entries, bytes];
  const path = paths.entries(Math.floor(heads.tree.size / TILE_WIDTH), entries.length);
  const created = await blobs.create(path, bundleBytes(entries));
  return created ? { entry: parseEntry(heads.tree.size, bytes), trees: extended.trees } : null;
};

/**
 * The partitions for the next entry: those that have grown, and those that the current bundle does not name yet. Empty
 * if none has grown and the bundle is empty.
 */
export const partitionsToSign = ({ heads }: NotarizedState, ends: readonly PartitionEnd[]): readonly PartitionEnd[] => {
  const due =
    (named: boolean) =>
    (one: PartitionEnd): boolean => {
      const size = heads.heads.get(partitionText(one))?.size ?? 0;
      return one.end > size || (named && one.end > 0 && !heads.named.has(partitionText(one)));
    };
  const begun = heads.entries.length > 0 || ends.some(due(false));
  return begun ? ends.filter(due(true)) : [];
};

/** The entry that a dead notary wrote, or else a new one. `nothing` if no partition has grown. */
export const nextEntry = async (
  deps: NotaryDependencies,
  standing: NotarizedState,
  ends: readonly PartitionEnd[],
  owed: TreeHead | null,
): Promise<Next | 'nothing' | 'lost'> => {
  const written = await writtenEntry(deps, standing.heads);
  if (written !== null) return { entry: written, trees: await followTrees(deps, standing.trees, written) };
  if (owed !== null)
    throw new NotExtended(`Blob is of before: entry ${owed.size - 1} of the log of heads was signed, and is gone`);
  return ends.length === 0 ? 'nothing' : ((await writeEntry(deps, standing, ends)) ?? 'lost');
};
