import type { ClientSession, Db } from 'mongodb';
import type { Clock } from '../../platform/process/clock.ts';
import type { BatchEntry, PoisonEntry } from '../../platform/processor/decode-batch.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { createGroupCommit, type GroupCommit, type Size } from '../../platform/read-store/group-commit.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { Quarantine } from '../../read-models/quarantine.ts';
import { type ChainPosition, chainThrough } from './chain.ts';
import { type CheckpointMove, CheckpointMoved, moveCheckpoints, readCheckpoint } from './checkpoint-store.ts';
import type { CollectionWrites, Folded, Projection, Run, StoredDocument, WriteOperation } from './projection.ts';
import { quarantineWrite } from './quarantine.ts';

/** Max. records of one transaction. The fetch limits of each partition bound its bytes. */
export const MAX_RECORDS_PER_TRANSACTION = 200;
const MAX_IN_A_TRANSACTION: Size = { documents: MAX_RECORDS_PER_TRANSACTION, bytes: Number.POSITIVE_INFINITY };

/** A document contains an event that is about to be folded into it: the collections are not from one instant. */
export class ReadModelAhead extends Error {
  override readonly name = 'ReadModelAhead';
}

export type Committed<After> = { readonly folded: Folded<After>; readonly to: ChainPosition };

/** A run of one partition to commit on top of `from`. */
export type Commit<Event, After> = Run<Event> & {
  readonly from: ChainPosition;
  /** Result of the last attempt, also if its answer was lost. */
  outcome: Committed<After> | null;
};

/**
 * Rejects with `CheckpointMoved` if another process moved the checkpoint of the partition, and with `ReadModelAhead` if
 * only a rebuild helps. Retries faults of the store.
 */
export type CommitQueue<Event, After> = GroupCommit<Commit<Event, After>, Committed<After>>;

const isPoison = (entry: BatchEntry<unknown>): entry is PoisonEntry => entry.tag === 'poison';

const write = async (db: Db, writes: readonly CollectionWrites[], session: ClientSession): Promise<void> => {
  const merged = new Map<string, WriteOperation[]>();
  for (const { collection, operations } of writes) {
    const before = merged.get(collection) ?? [];
    merged.set(collection, [...before, ...operations]);
  }
  for (const [collection, operations] of merged) {
    if (operations.length === 0) continue;
    try {
      await db.collection<StoredDocument>(collection).bulkWrite(operations, { session, ordered: true });
    } catch (error) {
      // Only the owner of the checkpoint gets here, so the document is from another instant. Generations share the
      // quarantine, so there another generation may have written it.
      if (!isDuplicateKey(error) || collection === COLLECTIONS.quarantine) throw error;
      throw new ReadModelAhead(`${collection} is ahead of the checkpoint: ${error.message}`, { cause: error });
    }
  }
};

/**
 * Runs of several partitions share a transaction, and each moves the checkpoint of its own partition. If another
 * process moved one of them, or one cannot continue, the group is split so that only that one fails.
 *
 * @param on_failure a fault of the store; the runs are retried
 */
export const createCommitQueue = <Event, After>(
  projection: Projection<Event, After>,
  store: ReadStore,
  quarantine: Quarantine,
  clock: Clock,
  on_failure: (error: unknown, commits: readonly Commit<Event, After>[]) => void,
): CommitQueue<Event, After> => {
  const commitAll = async (commits: readonly Commit<Event, After>[]): Promise<void> =>
    await store.transaction(async (session) => {
      const fold = await projection.load(commits, session);
      const moves: CheckpointMove[] = [];
      const writes: CollectionWrites[] = [];
      const found_at = new Date(clock.now());
      for (const commit of commits) {
        const { partition, from, entries } = commit;
        const folded = fold(commit);
        const passed = entries.slice(0, folded.passed);
        const to = chainThrough(
          from,
          passed.map(({ record }) => record),
        );
        commit.outcome = { folded, to };
        moves.push({ partition, from, to });
        writes.push(...projection.writes(folded.after), {
          collection: quarantine.collectionName,
          operations: passed.filter(isPoison).map((entry) => quarantineWrite(entry, found_at)),
        });
      }
      // Also if no record was passed: an apparent fault may only mean that another process moved the checkpoint.
      await moveCheckpoints(projection.checkpoints, moves, session);
      await write(store.db, writes, session);
    });

  /** The checkpoint shows whether a commit whose answer was lost has succeeded. */
  const wasCommitted = async ({ partition, from, outcome }: Commit<Event, After>): Promise<boolean> => {
    if (outcome === null || outcome.to.next === from.next) return false;
    const now = await readCheckpoint(projection.checkpoints, partition);
    return now.next === outcome.to.next && now.chain === outcome.to.chain;
  };

  return createGroupCommit({
    commit: async (commits) => {
      const missing: Commit<Event, After>[] = [];
      for (const commit of commits) if (!(await wasCommitted(commit))) missing.push(commit);
      if (missing.length > 0) await commitAll(missing);
      return commits.map(({ outcome, partition }) => {
        if (outcome === null) throw new Error(`a transaction ended without an outcome of partition ${partition}`);
        return outcome;
      });
    },
    most: MAX_IN_A_TRANSACTION,
    isPermanent: (error) => error instanceof CheckpointMoved || error instanceof ReadModelAhead,
    on_failure,
    clock,
  });
};
