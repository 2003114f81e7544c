import type { AnyBulkWriteOperation, ClientSession, Collection, Document } from 'mongodb';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Accept, BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';

/** Consecutive records of one partition. */
export type Run<Event> = { readonly partition: number; readonly entries: readonly BatchEntry<Event>[] };

/** Result of folding a run. */
export type Folded<After> = {
  readonly after: After;
  /** Number of entries that were passed. It is lower than the length of the run only if the fold stopped. */
  readonly passed: number;
  /** Why the fold stopped; null at the end of the run. */
  readonly stop: string | null;
  /** Only newer code can continue there. */
  readonly by_newer_code?: true;
};

/** A document of any read model. */
export type StoredDocument = Document & { readonly _id: string | number };

export type WriteOperation = AnyBulkWriteOperation<StoredDocument>;

/** Session of the transaction. */
export type Session = ClientSession;

/** Writes to one collection, in order. */
export type CollectionWrites = {
  readonly collection: string;
  readonly operations: readonly WriteOperation[];
};

/**
 * A read model that follows one topic, batch by batch: the parts that differ between read models. All share the
 * checkpoint, the chain, the quarantine and the transaction.
 */
export type Projection<Event, After> = {
  readonly topic: Topic;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly accept: Accept<Event>;
  /**
   * Where to begin a partition. `begin` is `next`, or an earlier offset whose records are not yet published. Everything
   * below `publishedUntil` is published. Throws StopPartition.
   */
  readonly begin: (
    partition: number,
    next: number,
  ) => Promise<{ readonly begin: number; readonly publishedUntil: number }>;
  /** Publishes again what records below the checkpoint lead to. */
  readonly repeat: (partition: number, entries: readonly BatchEntry<Event>[], held: AbortSignal) => Promise<void>;
  /**
   * Reads, before the transaction, what the fold needs that is neither in the log nor in the store, and fills it in.
   * Retries until it succeeds; rejects when `signal` aborts. May return only the first entries; the others come again.
   */
  readonly prepare?: (
    entries: readonly BatchEntry<Event>[],
    signal: AbortSignal,
  ) => Promise<readonly BatchEntry<Event>[]>;
  /**
   * Loads what these runs need, in as few queries as possible, in their transaction. It writes nothing. The fold that
   * it resolves to is pure.
   */
  readonly load: (runs: readonly Run<Event>[], session: Session) => Promise<(run: Run<Event>) => Folded<After>>;
  readonly writes: (after: After) => readonly CollectionWrites[];
  /** Publishes what a batch leads to, after its commit. Fails only if `held` aborts. */
  readonly committed: (partition: number, after: After, held: AbortSignal) => Promise<void>;
};
