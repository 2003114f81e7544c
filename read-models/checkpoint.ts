import type { ClientSession, Collection } from 'mongodb';

/** `render_checkpoints_g<generation>` and `catalogue_checkpoints_g<generation>`: the only position of a projector. */
export type CheckpointDocument = {
  /** Partition. */
  readonly _id: number;
  /** The offset to fold next. */
  readonly next: number;
  /** Chain hash after record `next - 1`, hex; 64 zeros at the beginning. */
  readonly chain: string;
  /** Chain hash before record `next - 1`, so that this record can be checked again. */
  readonly chain_before: string;
  /**
   * The model is behind what was reported until `next` reaches it. A process sets it when it opens the partition. Older
   * code has written none.
   */
  readonly target?: number;
  /**
   * Where this generation ended; set when another one serves. `next` and `chain` then hold values from which no version
   * of the code can continue.
   */
  readonly closed?: { readonly next: number; readonly chain: string };
};

/** Every event below this offset is folded; 0 if none is, or if another generation serves. */
export const foldedBelow = (checkpoint: CheckpointDocument | null): number =>
  checkpoint === null || checkpoint.closed !== undefined ? 0 : checkpoint.next;

/**
 * No code continues from here: the chain is invalid, and an empty partition, whose chain no code checks, begins at no
 * offset.
 */
const closed = ({ next, chain }: CheckpointDocument) => ({
  next: next === 0 ? -1 : next,
  chain: 'closed',
  closed: { next, chain },
});

/**
 * Closes the checkpoints of a generation, as they were read: a process that still has one of its partitions commits
 * nothing more. Rejects if one has moved meanwhile, which aborts the transaction. Without a transaction, those before
 * it stay closed.
 */
export const closeCheckpoints = async (
  checkpoints: Collection<CheckpointDocument>,
  as_read: readonly CheckpointDocument[],
  options: { readonly session?: ClientSession } = {},
): Promise<void> => {
  const open = as_read.filter((checkpoint) => checkpoint.closed === undefined);
  if (open.length === 0) return;
  const { matchedCount } = await checkpoints.bulkWrite(
    open.map((checkpoint) => ({
      updateOne: {
        filter: { _id: checkpoint._id, next: checkpoint.next, chain: checkpoint.chain },
        update: { $set: closed(checkpoint) },
      },
    })),
    { ...options, ordered: true },
  );
  if (matchedCount !== open.length) throw new Error('a checkpoint moved while its generation was closed');
};
