import { entriesFrom } from '../platform/proof-log/heads-log.ts';
import { NotExtended } from '../platform/proof-log/not-extended.ts';
import { notarizedPartitionEnds, type PartitionEnd } from '../platform/proof-log/notarized-topics.ts';
import { rootOf } from '../proofs/merkle/growing-tree.ts';
import { publish, storePendingTree } from './checkpoint/publish.ts';
import { readNotaryTop, type TreeHead } from './checkpoint/signed-top.ts';
import { withEntry } from './heads/heads-state.ts';
import { removePartialTiles, writeTiles } from './heads/heads-tiles.ts';
import { loadHeads } from './heads/load-heads.ts';
import { type NotarizedState, nextEntry, partitionsToSign } from './heads/next-entry.ts';
import type { NotaryDependencies } from './notary-dependencies.ts';
import { followTrees, loadTrees } from './trees/partition-trees.ts';

/**
 * After `signed`, the log of heads has one more entry. With `nothing`, no partition has grown. After `lost`, another
 * notary was faster, and a retry continues from its result. With `followed`, another notary has signed since.
 */
type Step = 'signed' | 'nothing' | 'lost' | 'followed';

export type Notary = {
  /**
   * Signs the growth of the log. Rejects with `NotExtended` if the log does not extend what was signed. Rejects with
   * another error if a server does not answer; a repeated call continues.
   * @param yields whether to leave the work to another notary that has signed meanwhile
   * @returns number of entries that it signed
   */
  readonly sign: (yields: boolean) => Promise<number>;
  /** The last known signed state: the number of entries, and the size of each partition's tree. */
  readonly signed: () => { readonly size: number; readonly sizes: ReadonlyMap<string, number> };
};

/** If other notaries were faster in this many steps, the notary waits for the next round. */
const MAX_LOST = 10;

type Reached = {
  readonly standing: NotarizedState;
  /** True if another notary has signed since. */
  readonly is_followed: boolean;
};

/** Reads the entries up to a signed tree, and extends the trees of the partitions accordingly. */
const reach = async (
  deps: NotaryDependencies,
  before: NotarizedState | null,
  { size, root }: TreeHead,
): Promise<Reached> => {
  const { blobs, paths } = deps;
  if (before === null) {
    const heads = await loadHeads(blobs, paths, { size, root });
    return { standing: { heads, trees: await loadTrees(deps, [...heads.heads.values()]) }, is_followed: false };
  }
  const from = before.heads.tree.size;
  if (size < from)
    throw new NotExtended(`Blob and MongoDB are of before: ${from} entries were signed, and they have ${size}`);
  let { heads, trees } = before;
  for await (const entry of size > from ? entriesFrom(blobs, paths, from, size) : []) {
    heads = withEntry(heads, entry);
    trees = await followTrees(deps, trees, entry);
  }
  if (!rootOf(heads.tree).equals(root))
    throw new NotExtended(`the entries of the log of heads do not have the root that was signed of ${size} of them`);
  return { standing: { heads, trees }, is_followed: size > from };
};

/** One of the processes that may sign. ADR 83 explains each step. */
export const createNotary = (deps: NotaryDependencies): Notary => {
  let standing: NotarizedState | null = null;

  const step = async (ends: readonly PartitionEnd[], yields: boolean): Promise<Step> => {
    const top = await readNotaryTop(deps);
    if (top === null) return 'lost';
    const reached = await reach(deps, standing, top);
    standing = reached.standing;
    if (reached.is_followed && yields) return 'followed';
    const { heads } = standing;
    const next = await nextEntry(deps, standing, partitionsToSign(standing, ends), top.owed);
    if (next === 'nothing' || next === 'lost') return next;
    const after = withEntry(heads, next.entry);
    const tree: TreeHead = { size: after.tree.size, root: rootOf(after.tree) };
    if (top.owed !== null && !top.owed.root.equals(tree.root))
      throw new NotExtended(`entry ${top.size} of the log of heads is not the one that was signed`);
    await writeTiles(deps, heads, next.entry);
    // Stores the tree before it is published. If later data is lost, the notary then still signs no other tree of this
    // size.
    if (top.owed === null && !(await storePendingTree(deps, top, tree))) return 'lost';
    if (!(await publish(deps, top, tree))) return 'lost';
    standing = { heads: after, trees: next.trees };
    await removePartialTiles(deps, tree.size);
    return 'signed';
  };

  return {
    sign: async (yields) => {
      const ends = await notarizedPartitionEnds(deps.log);
      let count = 0;
      for (let lost = 0; lost < MAX_LOST; ) {
        const done = await step(ends, yields && count === 0);
        if (done === 'nothing' || done === 'followed') return count;
        if (done === 'signed') count += 1;
        else lost += 1;
      }
      return count;
    },
    signed: () => ({
      size: standing?.heads.tree.size ?? 0,
      sizes: new Map(Array.from(standing?.heads.heads ?? [], ([place, { size }]) => [place, size])),
    }),
  };
};
