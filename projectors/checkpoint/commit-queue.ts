import type { ClientSession, Db } from 'mongodb';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { isDuplicateKey } from '../../platform/read-store/store-faults.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import { type ChainPosition, chainThrough } from './chain.ts';
import { type CheckpointMove, CheckpointMoved, moveCheckpoints } from './checkpoint-store.ts';
import type { BatchEntry } from './decode-batch.ts';
import type { CollectionWrites, Folded, Projection, Run, StoredDocument, WriteOperation } from './projection.ts';
import { type Quarantine, type Quarantined, quarantineWrite } from './quarantine.ts';

/** A transaction has a bound: more records are split over several. */
export const MOST_RECORDS_PER_TRANSACTION = 200;

/** A document has what is only about to be folded into it: collections that are not of one instant. */
export class ReadModelAhead extends Error {
  override readonly name = 'ReadModelAhead';
}

export type Committed<After> = { readonly folded: Folded<After>; readonly to: ChainPosition };

/** A run of one partition that is to be committed on top of `from`. */
export type Commit<Event, After> = Run<Event> & {
  readonly from: ChainPosition;
  /** What the last try came to, even if its answer was lost. */
  outcome: Committed<After> | null;
};

export type CommitQueue<Event, After> = {
  /**
   * Rejects with `CheckpointMoved` for a partition that another process moved on, with `ReadModelAhead` for one that
   * only a rebuild helps, else with a fault of the store.
   */
  readonly commit: (commit: Commit<Event, After>) => Promise<void>;
};

type Waiting<Event, After> = {
  readonly commit: Commit<Event, After>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
};

const isQuarantined = (entry: BatchEntry<unknown>): entry is Quarantined => entry.tag === 'quarantined';

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
      // Only the owner of the checkpoint comes here, so no other process was faster: the document is of another instant.
      // (But generations share the quarantine: there another one may have been.)
      if (!isDuplicateKey(error) || collection === COLLECTIONS.quarantine) throw error;
      throw new ReadModelAhead(`${collection} is ahead of the checkpoint: ${error.message}`, { cause: error });
    }
  }
};

/** The first of those that wait, and as many after it as a transaction may hold. */
const firstGroup = <W extends { readonly commit: { readonly entries: readonly unknown[] } }>(
  waiting: readonly W[],
): readonly W[] => {
  let records = 0;
  const end = waiting.findIndex(({ commit }, i) => {
    records += commit.entries.length;
    return i > 0 && records > MOST_RECORDS_PER_TRANSACTION;
  });
  return end === -1 ? waiting : waiting.slice(0, end);
};

/**
 * One transaction at a time: the runs of other partitions that come meanwhile go together in the next, since a
 * transaction costs several times what a document in it costs. Each run moves the checkpoint of its own partition;
 * where one of them was moved by another process, or cannot go on, all are tried again one by one, so that only that
 * one fails.
 */
export const createCommitQueue = <Event, After>(
  projection: Projection<Event, After>,
  store: ReadStore,
  quarantine: Quarantine,
  clock: Clock,
): CommitQueue<Event, After> => {
  let waiting: Waiting<Event, After>[] = [];
  let busy = false;

  const together = async (commits: readonly Commit<Event, After>[]): Promise<void> =>
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
          operations: passed.filter(isQuarantined).map((entry) => quarantineWrite(entry, found_at)),
        });
      }
      // Also where nothing was passed: what looks like a fault may only be that another process has moved on.
      await moveCheckpoints(projection.checkpoints, moves, session);
      await write(store.db, writes, session);
    });

  const settle = async (group: readonly Waiting<Event, After>[]): Promise<void> => {
    try {
      await together(group.map(({ commit }) => commit));
      for (const { done } of group) done();
    } catch (error) {
      const ofOne = error instanceof CheckpointMoved || error instanceof ReadModelAhead;
      if (ofOne && group.length > 1) {
        for (const one of group) await settle([one]);
        return;
      }
      for (const { failed } of group) failed(error);
    }
  };

  const pump = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    // What comes in the same turn of the event loop goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = firstGroup(waiting);
      waiting = waiting.slice(group.length);
      await settle(group);
    }
    busy = false;
  };

  return {
    commit: async (commit) =>
      await new Promise<void>((resolve, reject) => {
        waiting.push({ commit, done: resolve, failed: reject });
        void pump();
      }),
  };
};
