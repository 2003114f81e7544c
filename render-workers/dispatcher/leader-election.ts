import type { Heartbeat } from '../../domain/dispatch/heartbeats.ts';
import type { Subscription } from '../../platform/event-log/event-log.ts';
import { decodeRecords } from '../log/topic-follower.ts';
import { type ActiveDispatch, type DispatchDeps, startDispatch } from './active-dispatch.ts';

const TOPIC = 'worker-heartbeats';

export type LeaderElection = {
  /** Null while another dispatcher is active. */
  readonly active: () => ActiveDispatch | null;
  readonly stop: () => Promise<void>;
};

/** The owner of the single partition of `worker-heartbeats` is the leader; the consumer group elects it. */
export const startLeaderElection = async (deps: DispatchDeps): Promise<LeaderElection> => {
  const { records, logger } = deps;
  let active: ActiveDispatch | null = null;
  let stopping: Promise<void> = Promise.resolve();
  /** The offset after the last heartbeat read; null until the partition is assigned. */
  let next: number | null = null;

  const resign = (): void => {
    const before = active;
    active = null;
    next = null;
    if (before === null) return;
    logger.info('no longer the active dispatcher');
    // Leaving the consumer group takes a while; the dispatch itself has stopped already.
    stopping = before
      .stop()
      .catch((error: unknown) => logger.warn({ error }, 'could not leave the former consumer group'));
  };

  const subscription: Subscription = await records.log.subscribe({
    group: 'dispatcher',
    topics: [TOPIC],
    on_assigned: async () => {
      resign();
      active = startDispatch(deps);
    },
    on_revoked: async () => resign(),
    // Older heartbeats say nothing about the present: start at the end.
    position: async (_topic, partition) => {
      if (next !== null) return next;
      const bounds = (await records.log.bounds(TOPIC)).find((one) => one.partition === partition);
      return bounds?.end ?? 0;
    },
    on_batch: async ({ records: batch }) => {
      const heartbeats = (await decodeRecords(records, batch, 'skip')).flatMap(({ record }): readonly Heartbeat[] =>
        record.type === 'WorkerBeat' || record.type === 'DispatcherBeat' ? [record] : [],
      );
      const last = batch.at(-1);
      if (last !== undefined) next = last.offset + 1;
      active?.onHeartbeats(heartbeats);
    },
  });
  return {
    active: () => active,
    stop: async () => {
      resign();
      await subscription.stop();
      await stopping;
    },
  };
};
