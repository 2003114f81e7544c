import type { AnyBulkWriteOperation, ClientSession, Collection, Document } from 'mongodb';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { AcceptRecord, BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';

export type RecordRun<Event> = { readonly partition: number; readonly entries: readonly BatchEntry<Event>[] };

export type FoldResult<After> = {
  readonly after: After;
  /** The number of folded entries. It is lower than the length of the run only if the fold stopped. */
  readonly passed: number;
  readonly stop: string | null;
  readonly by_newer_code?: true;
};

export type StoredDocument = Document & { readonly _id: string | number };

export type WriteOperation = AnyBulkWriteOperation<StoredDocument>;

export type Session = ClientSession;

export type CollectionWrites = {
  readonly collection: string;
  readonly operations: readonly WriteOperation[];
};

/**
 * The parts that differ between read models. All read models share the checkpoint, the chain, the quarantine and the
 * transaction.
 */
export type Projection<Event, After> = {
  readonly topic: Topic;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly accept: AcceptRecord<Event>;
  /**
   * Where to begin a partition: `begin` is `next`, or an earlier offset from which records are not published yet. Every
   * record below `publishedUntil` is published. Throws StopPartition.
   */
  readonly begin: (
    partition: number,
    next: number,
  ) => Promise<{ readonly begin: number; readonly publishedUntil: number }>;
  readonly repeat: (
    partition: number,
    entries: readonly BatchEntry<Event>[],
    partitionSignal: AbortSignal,
  ) => Promise<void>;
  /**
   * Before the transaction, reads texts that are neither in the log nor in the store. Rejects only when `signal`
   * aborts. It may return only the first entries; the caller passes the others again.
   */
  readonly prepare?: (
    entries: readonly BatchEntry<Event>[],
    signal: AbortSignal,
  ) => Promise<readonly BatchEntry<Event>[]>;
  /**
   * Loads the documents for these runs in their transaction, in as few queries as possible. It writes nothing. The
   * returned fold is pure.
   */
  readonly load: (
    runs: readonly RecordRun<Event>[],
    session: Session,
  ) => Promise<(run: RecordRun<Event>) => FoldResult<After>>;
  readonly writes: (after: After) => readonly CollectionWrites[];
  /** Publishes the results of a batch after its commit. Rejects only if `partitionSignal` aborts. */
  readonly committed: (partition: number, after: After, partitionSignal: AbortSignal) => Promise<void>;
};
