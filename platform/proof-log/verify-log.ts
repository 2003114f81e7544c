import pLimit from 'p-limit';
import type { Head } from '../../proofs/heads/heads-entry.ts';
import {
  appendLeaves,
  EMPTY_TREE,
  type FullTile,
  type GrowingTree,
  rootOf,
  TILE_WIDTH,
} from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { entriesFrom, type StoredEntry } from './heads-log.ts';
import { NotExtended } from './not-extended.ts';
import { boundsOf, NOTARIZED_TOPICS, type NotarizedPartition, partitionText } from './notarized-topics.ts';
import {
  openPartitionCheck,
  type PartitionCheck,
  type PartitionCheckDependencies,
  type SignedHead,
  type SignedSize,
} from './partition-check.ts';
import { headsTile } from './stored-tiles.ts';

/** Partitions that are compared concurrently: while one waits for records, others are hashed. */
const AT_ONCE = 4;
/** This many heads are collected before they are compared: some 20 MB. */
export const MAX_WAITING_HEADS = 100_000;

/** More than any real log has, so that a forged log of heads cannot exhaust the memory. */
const MAX_PARTITIONS = 100_000;

export type CheckedPartition = {
  readonly partition: string;
  readonly records: number;
  /** Records that the newest checkpoint covers. */
  readonly signed: number;
  /** Records that the largest saved checkpoint covers. */
  readonly kept: number;
};

export type LogVerification = {
  /** Empty if the log equals its signed state. */
  readonly differences: readonly string[];
  readonly partitions: readonly CheckedPartition[];
};

export type VerifyLogOptions = {
  /** Saved checkpoints. The log of heads must begin with each of them. */
  readonly kept: readonly SignedSize[];
  readonly newest: SignedSize;
  /**
   * Sizes and roots of the log of heads at which a key handed over to its successor. The log must begin with each of
   * them, too.
   */
  readonly handed_over?: readonly SignedSize[];
  /** Null for all topics that the log of heads names. */
  readonly topics: readonly string[] | null;
  readonly stop: AbortSignal;
  /** Called from time to time with the number of verified records, and the number of records signed so far. */
  readonly onProgress?: (place: string, done: number, all: number) => void;
  /** Awaited before the next heads of a partition are compared. */
  readonly pace?: () => Promise<void>;
  readonly most_waiting?: number;
};

type VerifyLogDependencies = PartitionCheckDependencies & { readonly log: Pick<EventLog, 'bounds' | 'replay'> };

type Checking = {
  readonly place: NotarizedPartition;
  readonly check: PartitionCheck;
  readonly records: number;
  waiting: SignedHead[];
  last: SignedHead | null;
  kept: number;
  done: number;
  contradiction: string | null;
};

/** Why the head cannot follow `before`; null if it can. Trees only grow, and each size has only one tree. */
const contradictionOf = (before: SignedHead | null, head: Head, entry: number): string | null => {
  if (before === null || head.size > before.size) return null;
  const place = partitionText(head);
  if (head.size < before.size)
    return `${place}: entry ${entry} of the log of heads has a tree of ${head.size} records, and entry ${before.entry} one of ${before.size}`;
  return head.root.equals(before.root)
    ? null
    : `${place}: entries ${before.entry} and ${entry} of the log of heads have different trees of ${head.size} records`;
};

/** Includes partitions that the log lacks but the log of heads names. */
const openPartitions = async (deps: VerifyLogDependencies, topics: readonly string[] | null) => {
  const bounds = new Map<string, ReadonlyMap<number, { readonly start: number; readonly end: number }>>();
  const known = new Map<string, Checking>();
  const boundsIn = async (topic: string) => {
    const found = bounds.get(topic) ?? new Map((await boundsOf(deps.log, topic)).map((one) => [one.partition, one]));
    bounds.set(topic, found);
    return found;
  };
  const open = async ({ topic, partition }: NotarizedPartition): Promise<Checking> => {
    const place = { topic, partition };
    const found = known.get(partitionText(place));
    if (found !== undefined) return found;
    if (known.size >= MAX_PARTITIONS)
      throw new NotExtended(`the log of heads names more than ${MAX_PARTITIONS} partitions`);
    const range = (await boundsIn(topic)).get(partition) ?? null;
    const check = openPartitionCheck(deps, place, range);
    const checking: Checking = {
      ...{ place, check, records: range?.end ?? 0 },
      ...{ waiting: [], last: null, kept: 0, done: 0, contradiction: null },
    };
    known.set(partitionText(place), checking);
    return checking;
  };
  for (const topic of topics ?? NOTARIZED_TOPICS)
    for (const partition of (await boundsIn(topic)).keys()) await open({ topic, partition });
  return { open, all: () => [...known.values()] };
};

const openHeadsCheck = ({ blobs, paths }: VerifyLogDependencies, checkpoints: readonly SignedSize[]) => {
  const readTile = headsTile(blobs, paths);
  let tree: GrowingTree = EMPTY_TREE;
  let leaves: Buffer[] = [];
  let reached = 0;

  const changedEntry = async (hashes: readonly Buffer[], index: number): Promise<number | null> => {
    const stored = await readTile(0, index, hashes.length);
    const i = hashes.findIndex((hash, at) => stored[at]?.equals(hash) !== true);
    return i === -1 ? null : index * TILE_WIDTH + i;
  };

  const wrongTile = async ({ level, index, hashes }: FullTile): Promise<string | null> => {
    const changed = level === 0 ? await changedEntry(hashes, index) : null;
    if (changed !== null) return `the log of heads: entry ${changed} differs from its tile`;
    const stored = level === 0 ? hashes : await readTile(level, index, TILE_WIDTH);
    return stored.every((hash, i) => hashes[i]?.equals(hash) === true)
      ? null
      : `the log of heads: ${paths.tile(level, index)} does not match the entries`;
  };

  return async ({ bytes, index }: StoredEntry): Promise<string | null> => {
    const leaf = leafHash(bytes);
    const more = appendLeaves(tree, [leaf]);
    tree = more.tree;
    leaves.push(leaf);
    for (const { size, root } of checkpoints.filter((one) => one.size === tree.size)) {
      if (rootOf(tree).equals(root)) {
        reached = size;
        continue;
      }
      const changed = await changedEntry(leaves, Math.floor(index / TILE_WIDTH));
      const mismatch =
        changed === null ? `the entries from ${reached} to ${size - 1}, or their tiles, do` : `entry ${changed} does`;
      return `the log of heads: ${mismatch} not match the signed tree of ${size} entries`;
    }
    for (const tile of more.tiles) {
      const mismatch = await wrongTile(tile);
      if (mismatch !== null) return mismatch;
    }
    if (tree.size % TILE_WIDTH === 0) leaves = [];
    return null;
  };
};

const checkedPartition = ({ place, records, last, kept }: Checking): CheckedPartition => ({
  ...{ partition: partitionText(place), records, kept },
  signed: last?.size ?? 0,
});

/**
 * The log of heads must begin with each checkpoint, and **each** head in it must be the root of the log at that size.
 * The owner of the key therefore cannot rewrite the records before a saved checkpoint. Memory is bounded for any number
 * of heads, because they are compared in batches.
 */
export const verifyLog = async (deps: VerifyLogDependencies, options: VerifyLogOptions): Promise<LogVerification> => {
  const { kept, newest, handed_over = [], topics, stop } = options;
  const { onProgress = () => undefined, pace = async () => undefined } = options;
  const most_waiting = options.most_waiting ?? MAX_WAITING_HEADS;
  const checkHeads = openHeadsCheck(deps, [...kept, ...handed_over, newest]);
  const kept_size = Math.max(0, ...kept.map(({ size }) => size));
  const partitions = await openPartitions(deps, topics);
  let waiting = 0;

  const compareWaiting = async (): Promise<void> => {
    await pLimit(AT_ONCE).map(partitions.all(), async (one) => {
      const heads = one.waiting;
      one.waiting = [];
      if (heads.length === 0 || stop.aborted) return;
      await pace();
      await one.check.compare(heads, (count) => {
        one.done += count;
        onProgress(partitionText(one.place), one.done, one.last?.size ?? 0);
      });
    });
    waiting = 0;
  };

  const addHeads = async ({ heads, index }: StoredEntry): Promise<void> => {
    for (const head of heads) {
      if (topics?.includes(head.topic) === false) continue;
      const one = await partitions.open(head);
      one.contradiction ??= contradictionOf(one.last, head, index);
      if (one.last === null || head.size > one.last.size) {
        one.last = { size: head.size, root: head.root, entry: index };
        one.waiting.push(one.last);
        waiting += 1;
      }
      if (index < kept_size) one.kept = one.last.size;
    }
  };

  const readEntries = async (): Promise<string | null> => {
    try {
      const beyond = handed_over.find(({ size }) => size > newest.size);
      if (beyond !== undefined)
        return `the log of heads has ${newest.size} entries, but a key handed over to its successor at ${beyond.size} entries`;
      for await (const entry of entriesFrom(deps.blobs, deps.paths, 0, newest.size)) {
        if (stop.aborted) return null;
        const mismatch = await checkHeads(entry);
        if (mismatch !== null) return mismatch;
        await addHeads(entry);
        if (waiting >= most_waiting) await compareWaiting();
      }
      return null;
    } catch (error) {
      if (error instanceof NotExtended) return error.message;
      throw error;
    }
  };

  const mismatch = await readEntries();
  // If the entries differ from the signed ones, their heads prove nothing.
  if (mismatch === null) await compareWaiting();
  const all = partitions.all();
  const differences = all.flatMap(({ check, contradiction }) =>
    [contradiction, check.found()?.message].filter((one) => one != null),
  );
  return {
    differences: mismatch === null ? differences : [mismatch, ...differences],
    partitions: all.map(checkedPartition),
  };
};
