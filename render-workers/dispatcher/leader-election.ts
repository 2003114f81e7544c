import type { Beat } from '../../domain/dispatch/heartbeats.ts';
import type { Subscription } from '../../platform/event-log/event-log.ts';
import { decodeRecords } from '../log/topic-follower.ts';
import { type ActiveDispatch, type DispatchDeps, startDispatch } from './active-dispatch.ts';

const TOPIC = 'worker-heartbeats';

export type StandingBy = {
  /** Null while another one is active. */
  readonly active: () => ActiveDispatch | null;
  readonly stop: () => Promise<void>;
};

/** Active is whoever owns the one partition of the heartbeats; the others wait for it. */
export const standBy = async (deps: DispatchDeps): Promise<StandingBy> => {
  const { records, logger } = deps;
  let active: ActiveDispatch | null = null;
  let stopping: Promise<void> = Promise.resolve();
  /** The offset after the last beat that was read; null until the partition is gained. */
  let next: number | null = null;

  const resign = (): void => {
    const before = active;
    active = null;
    next = null;
    if (before === null) return;
    logger.info('no longer the active dispatcher');
    // Leaving the other group takes a while; acting has ended already.
    stopping = before.stop().catch((error: unknown) => logger.warn({ error }, 'could not leave the group of before'));
  };

  const subscription: Subscription = await records.log.subscribe({
    group: 'dispatcher',
    topics: [TOPIC],
    on_assigned: async () => {
      resign();
      active = startDispatch(deps);
    },
    on_revoked: async () => resign(),
    // Beats of before say nothing about now.
    position: async (_topic, partition) => {
      if (next !== null) return next;
      const bounds = (await records.log.bounds(TOPIC)).find((one) => one.partition === partition);
      return bounds?.end ?? 0;
    },
    on_batch: async ({ records: batch }) => {
      const beats = (await decodeRecords(records, batch, 'skip')).flatMap(({ record }): readonly Beat[] =>
        record.type === 'WorkerBeat' || record.type === 'DispatcherBeat' ? [record] : [],
      );
      const last = batch.at(-1);
      if (last !== undefined) next = last.offset + 1;
      active?.onBeats(beats);
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
