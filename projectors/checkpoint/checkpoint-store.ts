import type { ClientSession, Collection } from 'mongodb';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { type ChainPosition, INITIAL_CHAIN_POSITION } from './chain.ts';

/**
 * The checkpoint is not where this process left it. Another process moved it, its generation was closed, or the store
 * was restored or lost.
 */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

const positionOf = ({ next, chain, chain_before }: CheckpointDocument): ChainPosition => ({
  next,
  chain,
  chain_before,
});

export const readCheckpoint = async (
  checkpoints: Collection<CheckpointDocument>,
  partition: number,
): Promise<ChainPosition> => {
  const found = await checkpoints.findOne({ _id: partition });
  return found === null ? INITIAL_CHAIN_POSITION : positionOf(found);
};

/**
 * Creates the first checkpoint of a partition, so that every later move is a compare-and-set.
 *
 * @param end of the log; the store counts as behind until the partition is folded to this offset
 */
export const createCheckpoint = async (
  checkpoints: Collection<CheckpointDocument>,
  partition: number,
  end: number,
): Promise<ChainPosition> => {
  const first = end === 0 ? INITIAL_CHAIN_POSITION : { ...INITIAL_CHAIN_POSITION, target: end };
  await checkpoints.updateOne({ _id: partition }, { $setOnInsert: first }, { upsert: true });
  return await readCheckpoint(checkpoints, partition);
};

/** Readers wait until the partition is folded to this offset. A lower target is ignored. */
export const raiseTarget = async (
  checkpoints: Collection<CheckpointDocument>,
  partition: number,
  target: number,
): Promise<void> => {
  await checkpoints.updateOne({ _id: partition }, { $max: { target } });
};

export const CHECKPOINT_CLOSED_REASON = 'another generation of this read model serves now';

export const isCheckpointClosed = async (
  checkpoints: Collection<CheckpointDocument>,
  partition: number,
): Promise<boolean> => (await checkpoints.findOne({ _id: partition }))?.closed !== undefined;

export type CheckpointMove = {
  readonly partition: number;
  readonly from: ChainPosition;
  readonly to: ChainPosition;
};

export const moveCheckpoints = async (
  checkpoints: Collection<CheckpointDocument>,
  moves: readonly CheckpointMove[],
  session: ClientSession,
): Promise<void> => {
  const { matchedCount } = await checkpoints.bulkWrite(
    moves.map(({ partition, from, to }) => ({
      updateOne: { filter: { _id: partition, next: from.next, chain: from.chain }, update: { $set: to } },
    })),
    { session, ordered: true },
  );
  if (matchedCount === moves.length) return;
  const where = moves.map(({ partition, from }) => `${partition} at ${from.next}`).join(', ');
  throw new CheckpointMoved(`another process moved a checkpoint of partition ${where}`);
};
