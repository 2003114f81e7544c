import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from '../../platform/logging/logger.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import { abortable } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { BACK_OFF, retry } from '../../platform/process/retry.ts';
import { createGroupCommit } from '../../platform/read-store/group-commit.ts';
import type { Deliveries } from '../../read-models/deliveries/deliveries.ts';
import { sizeOf } from '../../read-models/deliveries/outcome.ts';
import {
  isBehind,
  type Plan,
  type Progress,
  positionOf,
  progressAfter,
  progressOf,
} from '../../read-models/deliveries/plan.ts';
import type { Write, Written } from '../../read-models/deliveries/write-group.ts';
import type { DeliveryStore } from '../ports.ts';
import { PartitionTaken } from './partition-taken.ts';
import { MOST_IN_A_TRANSACTION, partsOf, sizeOfPlan } from './plan-parts.ts';
import type { StateMetrics } from './state-metrics.ts';

export type DeliveryStoreParts = {
  readonly deliveries: Deliveries;
  readonly logger: Logger;
  readonly metrics: StateMetrics;
  /** The end of the relay: reads that still wait reject with its reason. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
};

const DONE: Promise<unknown> = Promise.resolve();

/** Reads that wait for the store, and writes that share its transactions. */
export const createDeliveryStore = ({
  deliveries,
  logger,
  metrics,
  stop: ending,
  clock,
}: DeliveryStoreParts): DeliveryStore => {
  const warn = sparingWarnings(logger);
  const read = <A>(ask: () => Promise<A>): Promise<A> =>
    retry(ask, {
      clock,
      signal: ending,
      onFailure: (error) =>
        warn({ reason: messageOf(error) }, 'the store of the deliveries cannot be read; it is tried again'),
    });
  const recover = (about: { readonly partition: number }, failure: string) => {
    let failures = 0;
    return async (error: unknown): Promise<void> => {
      warn({ reason: messageOf(error), ...about }, failure);
      failures += 1;
      await clock.sleep(BACK_OFF(failures), ending);
    };
  };
  const writes = createGroupCommit<Write, Written>({
    commit: (group) => metrics.committing(group.length, () => deliveries.write(group)),
    most: MOST_IN_A_TRANSACTION,
    clock,
    on_failure: (error, group) => {
      metrics.failed();
      warn({ reason: messageOf(error), writes: group.length }, 'deliveries could not be stored; it is tried again');
    },
  });
  metrics.waiting(writes.waiting);

  /** For each partition that is ours, how far it was when it was taken, and with what was stored since. */
  const owned = new Map<number, Progress>();
  /** For each partition the last plan that was begun, until it has ended. */
  const last = new Map<number, Promise<unknown>>();

  /** One after the other for each partition: of two answers the later one counts. */
  const taking = new Map<number, LimitFunction>();
  const take = (partition: number) => {
    const limit = taking.get(partition) ?? pLimit(1);
    taking.set(partition, limit);
    return limit(async () => {
      const stored = await read(() => deliveries.takePartition(partition));
      owned.set(partition, progressOf(stored));
      return stored;
    });
  };

  const lost = (partition: number): PartitionTaken =>
    new PartitionTaken(`partition ${partition} is another relay's now, or its store lost what was planned in it`);
  /** As the owner that it was when the plan was made; null where it has been taken anew since. */
  const ownerOf = (partition: number, taken: number): Progress | null => {
    const its = owned.get(partition);
    return its?.taken === taken ? its : null;
  };
  const moved = (partition: number, before: Progress, next: Plan['next']): void => {
    if (ownerOf(partition, before.taken) !== null) owned.set(partition, progressAfter(before, next));
  };

  const storeParts = async (plan: Plan, taken: number, stop: AbortSignal): Promise<ReadonlySet<string>> => {
    const ids = new Set<string>();
    for (const part of partsOf(plan)) {
      const by = ownerOf(plan.partition, taken);
      if (by === null) throw lost(plan.partition);
      const written = await writes.put({ tag: 'plan', ...part, by }, sizeOfPlan(part), stop);
      if (written.tag !== 'planned') throw lost(plan.partition);
      moved(plan.partition, by, part.next);
      for (const id of written.ids) ids.add(id);
    }
    return ids;
  };

  return {
    position: async (partition) => positionOf(await take(partition)),

    plan: async (plan, stop) => {
      const { partition } = plan;
      const { taken } = owned.get(partition) ?? (await abortable(stop, take(partition)));
      const before = last.get(partition) ?? DONE;
      const storing = before.then(() => storeParts(plan, taken, stop));
      const ended = storing.then(
        () => undefined,
        () => undefined,
      );
      last.set(partition, ended);
      return await abortable(stop, storing);
    },

    restore: async (restored, stop) => {
      stop.throwIfAborted();
      const { partition } = restored;
      const by = owned.get(partition);
      if (by === undefined) throw lost(partition);
      const onFailure = (error: unknown): void =>
        warn({ reason: messageOf(error) }, 'deliveries could not be restored; it is tried again');
      const signal = AbortSignal.any([stop, ending]);
      const is_ours = await retry(() => deliveries.restore(restored, by), { clock, signal, onFailure });
      if (!is_ours) throw lost(partition);
      moved(partition, by, {});
    },

    mend: async (mend, stop) => {
      stop.throwIfAborted();
      const { partition } = mend;
      const by = owned.get(partition);
      if (by === undefined) throw lost(partition);
      const onFailure = (error: unknown): void =>
        warn({ reason: messageOf(error) }, 'deliveries could not be mended; it is tried again');
      const signal = AbortSignal.any([stop, ending]);
      const mended = await retry(() => deliveries.mend(mend, by), { clock, signal, onFailure });
      if (mended === null) throw lost(partition);
      if (mend.back_to === null) moved(partition, by, {});
      return mended;
    },

    record: async (outcome, stop) => {
      const write: Write = { tag: 'record', outcome, at: clock.now() };
      const written = await writes.put(write, { documents: 1, bytes: sizeOf(outcome) }, stop);
      return written.tag === 'recorded' && written.counts;
    },

    waiting: (partition) =>
      deliveries.waiting(partition, recover({ partition }, 'what waits cannot be read; it is tried again')),
    stored: (partition, range) =>
      deliveries.stored(partition, range, recover({ partition }, 'deliveries cannot be read; it is tried again')),
    deliveries: (ids) => read(() => deliveries.findAll(ids)),

    due: (partition, endpoint_id, due_before, limit, from_position = '0') =>
      read(() => deliveries.queue({ partition, endpoint_id, from_position, due_before }, limit)),

    delivery: (id) => read(() => deliveries.find(id)),
    pendingOf: (render_id) => read(() => deliveries.pendingOf(render_id)),
    dropAnswers: (render_id) => read(() => deliveries.dropAnswers(render_id)),

    rolledBackPartitions: async () => {
      // Before the store is asked: it moves on meanwhile.
      const held = new Map(owned);
      const stored = new Map((await deliveries.positions()).map((one) => [one._id, progressOf(one)]));
      return Array.from(held).flatMap(([partition, its]) => {
        const found = stored.get(partition);
        if (found === undefined || isBehind(found, its)) return [partition];
        // A plan whose answer was lost was stored and counted twice.
        if (owned.get(partition) === its && found.taken === its.taken) owned.set(partition, found);
        return [];
      });
    },
  };
};
