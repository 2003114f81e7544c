import type { AnyBulkWriteOperation, ClientSession, Collection, Document } from 'mongodb';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Accept, BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';

/** Consecutive records of one partition. */
export type Run<Event> = { readonly partition: number; readonly entries: readonly BatchEntry<Event>[] };

/** What a fold made of a run. */
export type Folded<After> = {
  readonly after: After;
  /** How many of the entries were passed; fewer than all only when it stopped. */
  readonly passed: number;
  /** Why it went no further; null at the end. */
  readonly stop: string | null;
  /** Only newer code can go on there. */
  readonly by_newer_code?: true;
};

/** A document of any read model. */
export type StoredDocument = Document & { readonly _id: string | number };

export type WriteOperation = AnyBulkWriteOperation<StoredDocument>;

/** What each operation inside a transaction is given. */
export type Session = ClientSession;

/** Writes to one collection, in order. */
export type CollectionWrites = {
  readonly collection: string;
  readonly operations: readonly WriteOperation[];
};

/**
 * A read model that follows one topic, batch by batch. What is particular to it; the checkpoint, the chain, the
 * quarantine and the transaction are the same for all.
 */
export type Projection<Event, After> = {
  readonly topic: Topic;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly accept: Accept<Event>;
  /**
   * `begin`: where to begin a partition, `next` or an earlier offset whose consequences outside of the store are not
   * done yet; `publishedUntil`: all below it was published outside of the store. Throws StopPartition.
   */
  readonly begin: (
    partition: number,
    next: number,
  ) => Promise<{ readonly begin: number; readonly publishedUntil: number }>;
  /** Does again what records below the checkpoint lead to outside of the store. */
  readonly repeat: (partition: number, entries: readonly BatchEntry<Event>[], held: AbortSignal) => Promise<void>;
  /**
   * Reads what the fold needs that is neither in the log nor in the store, before the transaction, and fills it in. Tries
   * until it has it; rejects once `signal` aborts. Of many entries it may
   * return the first ones alone: the others come again.
   */
  readonly prepare?: (
    entries: readonly BatchEntry<Event>[],
    signal: AbortSignal,
  ) => Promise<readonly BatchEntry<Event>[]>;
  /**
   * Loads what these runs need, in as few queries as it can, within their transaction; no writes. The fold that it
   * resolves to is pure.
   */
  readonly load: (runs: readonly Run<Event>[], session: Session) => Promise<(run: Run<Event>) => Folded<After>>;
  readonly writes: (after: After) => readonly CollectionWrites[];
  /** What a batch leads to outside of the store, after its commit. Gives up only when `held` is aborted. */
  readonly committed: (partition: number, after: After, held: AbortSignal) => Promise<void>;
};
