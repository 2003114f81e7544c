import type { ClientSession, Db } from 'mongodb';
import type { Clock } from '../../platform/process/clock.ts';
import type { BatchEntry, PoisonEntry } from '../../platform/processor/decode-batch.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { createGroupCommit, type GroupCommit, type WriteSize } from '../../platform/read-store/group-commit.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { Quarantine } from '../../read-models/quarantine.ts';
import { type ChainPosition, extendChain } from './chain.ts';
import { type CheckpointMove, CheckpointMoved, moveCheckpoints, readCheckpoint } from './checkpoint-store.ts';
import type {
  CollectionWrites,
  FoldResult,
  Projection,
  RecordRun,
  StoredDocument,
  WriteOperation,
} from './projection.ts';
import { quarantineWrite } from './quarantine.ts';

/**
 * Transactions are limited by records and not by bytes, because the fetch limits of each partition already bound the
 * bytes.
 */
export const MAX_RECORDS_PER_TRANSACTION = 200;
const MAX_IN_A_TRANSACTION: WriteSize = { documents: MAX_RECORDS_PER_TRANSACTION, bytes: Number.POSITIVE_INFINITY };

/**
 * A document already contains an event that this process is about to fold, because the store's collections were
 * restored from different times.
 */
export class ReadModelAhead extends Error {
  override readonly name = 'ReadModelAhead';
}

export type CommitResult<After> = { readonly folded: FoldResult<After>; readonly to: ChainPosition };

export type PendingCommit<Event, After> = RecordRun<Event> & {
  readonly from: ChainPosition;
  outcome: CommitResult<After> | null;
};

/**
 * Rejects with `CheckpointMoved` if another process moved the checkpoint, and with `ReadModelAhead` if only a rebuild
 * helps. Retries store faults.
 */
export type CommitQueue<Event, After> = GroupCommit<PendingCommit<Event, After>, CommitResult<After>>;

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
      // A duplicate key means that the document is newer than the checkpoint, which this process owns. The quarantine
      // is an exception: all generations share it, so another one may have written the record.
      if (!isDuplicateKey(error) || collection === COLLECTIONS.quarantine) throw error;
      throw new ReadModelAhead(`${collection} is ahead of the checkpoint: ${error.message}`, { cause: error });
    }
  }
};

/**
 * Runs of several partitions share a transaction, and each moves its own checkpoint. If one run fails, the group is
 * split, so that only this run fails.
 *
 * @param on_failure a store fault; the runs are retried
 */
export const createCommitQueue = <Event, After>(
  projection: Projection<Event, After>,
  store: ReadStore,
  quarantine: Quarantine,
  clock: Clock,
  on_failure: (error: unknown, commits: readonly PendingCommit<Event, After>[]) => void,
): CommitQueue<Event, After> => {
  const commitAll = async (commits: readonly PendingCommit<Event, After>[]): Promise<void> =>
    await store.transaction(async (session) => {
      const fold = await projection.load(commits, session);
      const moves: CheckpointMove[] = [];
      const writes: CollectionWrites[] = [];
      const found_at = new Date(clock.now());
      for (const commit of commits) {
        const { partition, from, entries } = commit;
        const folded = fold(commit);
        const passed = entries.slice(0, folded.passed);
        const to = extendChain(
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
      // The checkpoint of a run without folded records is checked too: if another process moved it, the reason why the
      // fold stopped is not valid.
      await moveCheckpoints(projection.checkpoints, moves, session);
      await write(store.db, writes, session);
    });

  /** If the answer to a commit was lost, the checkpoint shows whether it succeeded. */
  const wasCommitted = async ({ partition, from, outcome }: PendingCommit<Event, After>): Promise<boolean> => {
    if (outcome === null || outcome.to.next === from.next) return false;
    const now = await readCheckpoint(projection.checkpoints, partition);
    return now.next === outcome.to.next && now.chain === outcome.to.chain;
  };

  return createGroupCommit({
    commit: async (commits) => {
      const missing: PendingCommit<Event, After>[] = [];
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
