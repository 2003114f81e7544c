import pLimit from 'p-limit';
import type { StoredEntry } from '../../platform/proof-log/heads-log.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import {
  boundsOf,
  type NotarizedPartition,
  type PartitionEnd,
  partitionText,
} from '../../platform/proof-log/notarized-topics.ts';
import { openPartitionCheck, type SignedHead } from '../../platform/proof-log/partition-check.ts';
import { partitionTreeAt } from '../../platform/proof-log/partition-tree.ts';
import type { Head } from '../../proofs/heads/heads-entry.ts';
import { EMPTY_TREE, type GrowingTree, rootOf } from '../../proofs/merkle/growing-tree.ts';
import { extendTree, type TreeDependencies } from './extend-tree.ts';

export type PartitionTrees = ReadonlyMap<string, GrowingTree>;

export type SignedPartitionHead = NotarizedPartition & SignedHead;

const AT_ONCE = 4;

const notSigned = async (deps: TreeDependencies, head: SignedPartitionHead): Promise<NotExtended> => {
  const bounds = await boundsOf(deps.log, head.topic);
  const check = openPartitionCheck(deps, head, bounds.find(({ partition }) => partition === head.partition) ?? null);
  await check.compare([head]);
  return new NotExtended(
    check.found()?.message ??
      `${partitionText(head)}: the stored tiles do not have the root that was signed of ${head.size} records`,
  );
};

/** Rejects with `NotExtended` if the log no longer has every signed record. */
const checkBounds = async (deps: TreeDependencies, heads: readonly Head[]): Promise<void> => {
  for (const topic of new Set(heads.map((head) => head.topic))) {
    const bounds = await deps.log.bounds(topic);
    for (const head of heads.filter((one) => one.topic === topic)) {
      const { start, end } = bounds.find(({ partition }) => partition === head.partition) ?? { start: 0, end: 0 };
      if (start > 0)
        throw new NotExtended(`${partitionText(head)}: records 0 to ${start - 1} are no longer in the log`);
      if (end < head.size)
        throw new NotExtended(`${partitionText(head)}: the log ends at ${end}, and ${head.size} records were signed`);
    }
  }
};

/** Builds the trees from the log and the stored tiles. Rejects with `NotExtended` if they differ from the heads. */
export const loadTrees = async (
  deps: TreeDependencies,
  heads: readonly SignedPartitionHead[],
): Promise<PartitionTrees> => {
  await checkBounds(deps, heads);
  const trees = await pLimit(AT_ONCE).map(heads, async (head) => {
    const tree = await partitionTreeAt(deps.log, deps.blobs, deps.paths, head, head.size);
    if (!rootOf(tree).equals(head.root)) throw await notSigned(deps, head);
    return [partitionText(head), tree] as const;
  });
  return new Map(trees);
};

/** Extends the trees to the heads of another notary's entry. The log must have the same records. */
export const followTrees = async (
  deps: TreeDependencies,
  before: PartitionTrees,
  entry: StoredEntry,
): Promise<PartitionTrees> => {
  const heads = entry.heads.map((head) => ({ ...head, entry: entry.index }));
  await checkBounds(deps, heads);
  const trees = await pLimit(AT_ONCE).map(heads, async (head) => {
    const known = before.get(partitionText(head)) ?? EMPTY_TREE;
    const tree = known.size === head.size ? known : await extendTree(deps, head, known, head.size);
    if (!rootOf(tree).equals(head.root)) throw await notSigned(deps, head);
    return [partitionText(head), tree] as const;
  });
  return new Map([...before, ...trees]);
};

export const extendTrees = async (
  deps: TreeDependencies,
  before: PartitionTrees,
  ends: readonly PartitionEnd[],
): Promise<{ readonly trees: PartitionTrees; readonly heads: readonly Head[] }> => {
  const extended = await pLimit(AT_ONCE).map(ends, async ({ topic, partition, end }) => {
    const place = { topic, partition };
    const tree = await extendTree(deps, place, before.get(partitionText(place)) ?? EMPTY_TREE, end);
    return { tree, head: { ...place, size: end, root: rootOf(tree) } };
  });
  return {
    trees: new Map([...before, ...extended.map(({ tree, head }) => [partitionText(head), tree] as const)]),
    heads: extended.map(({ head }) => head),
  };
};
