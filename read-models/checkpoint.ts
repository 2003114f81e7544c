import type { ClientSession, Collection } from 'mongodb';

/** `render_checkpoints_g<generation>` and `catalogue_checkpoints_g<generation>`: the only position of a projector. */
export type CheckpointDocument = {
  readonly _id: number;
  readonly next: number;
  /** Chain hash after record `next - 1`, hex; 64 zeros at the beginning. */
  readonly chain: string;
  /** Chain hash before record `next - 1`, so that this record can be checked again. */
  readonly chain_before: string;
  /**
   * The read model is behind until `next` reaches this offset. A process sets it when it opens the partition; older
   * code does not.
   */
  readonly target?: number;
  /**
   * The last position of a generation that no longer serves. `next` and `chain` are then invalid, so that no version of
   * the code continues.
   */
  readonly closed?: { readonly next: number; readonly chain: string };
};

/** Every event below this offset is folded; 0 if another generation serves. */
export const nextOffsetToFold = (checkpoint: CheckpointDocument | null): number =>
  checkpoint === null || checkpoint.closed !== undefined ? 0 : checkpoint.next;

/**
 * The members of a closed checkpoint. No process continues from its invalid chain. An empty partition also gets the
 * offset -1, because no code checks its chain.
 */
const closed = ({ next, chain }: CheckpointDocument) => ({
  next: next === 0 ? -1 : next,
  chain: 'closed',
  closed: { next, chain },
});

/**
 * Closes the checkpoints of a generation: a process that still has one of its partitions then commits nothing. Rejects
 * if a checkpoint has moved since it was read, which aborts the transaction. Without a transaction, the checkpoints
 * before that one stay closed.
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
