import type { ClientSession, Collection } from 'mongodb';

/** `render_checkpoints_g<generation>` and `catalogue_checkpoints_g<generation>`: the only position of a projector. */
export type CheckpointDocument = {
  /** Partition. */
  readonly _id: number;
  /** The offset to fold next. */
  readonly next: number;
  /** Chain hash after record `next - 1`, hex; 64 zeros at the beginning. */
  readonly chain: string;
  /** Chain hash before record `next - 1`, so that this one record can be checked again. */
  readonly chain_before: string;
  /**
   * The model is behind what was told before until `next` gets there: set when a process opens the partition. What was
   * written by code that did not know of it has none.
   */
  readonly target?: number;
  /**
   * Where this generation ended; set once another one serves. `next` and `chain` then hold values that no version of the
   * code can continue from.
   */
  readonly closed?: { readonly next: number; readonly chain: string };
};

/** Every event below this offset is folded; 0 where none is, or where another generation serves. */
export const foldedBelow = (checkpoint: CheckpointDocument | null): number =>
  checkpoint === null || checkpoint.closed !== undefined ? 0 : checkpoint.next;

/** No code goes on from here: the chain is none, and an empty partition, whose chain nobody looks at, begins nowhere. */
const closed = ({ next, chain }: CheckpointDocument) => ({
  next: next === 0 ? -1 : next,
  chain: 'closed',
  closed: { next, chain },
});

/**
 * Closes the checkpoints of a generation, as they were read: a process that still has one of its partitions commits
 * nothing any more. Rejects where one has moved meanwhile, which ends the transaction; without one, those before it are
 * closed.
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
