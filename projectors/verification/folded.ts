import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import type { ChainPosition } from '../checkpoint/chain.ts';
import { readCheckpoint } from '../checkpoint/checkpoint-store.ts';
import type { Difference } from './difference.ts';

export type FoldedPosition = {
  readonly checkpoint: ChainPosition;
  /** End of the folded records that the log still has. */
  readonly to: number;
};

export const readFoldedPosition = async (
  log: Pick<EventLog, 'bounds'>,
  topic: Topic,
  partition: number,
  checkpoints: RenderCollections['checkpoints'],
): Promise<FoldedPosition> => {
  const checkpoint = await readCheckpoint(checkpoints, partition);
  const end = (await log.bounds(topic)).find((one) => one.partition === partition)?.end ?? 0;
  return { checkpoint, to: Math.min(checkpoint.next, end) };
};

export const truncatedLogDifference = (where: string, { checkpoint, to }: FoldedPosition): Difference | null =>
  checkpoint.next <= to
    ? null
    : { where, member: 'next', log: `that it ends at ${to}`, holder: 'store', found: `${checkpoint.next}` };
