import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { IdRange } from '../../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { MendedDelivery } from '../../read-models/deliveries/mend.ts';
import type { Plan } from '../../read-models/deliveries/plan.ts';
import {
  allMended,
  type DeliveryRebuild,
  isRebuilt,
  type Mended,
  NOTHING_MENDED,
  type PartitionRebuild,
} from '../../read-models/deliveries/rebuild.ts';
import { placedEvent, webhookEvents } from '../plan/position-from-log.ts';
import type { DeliveryStore, EndpointQueues } from '../ports.ts';
import { judge, type Verdict } from './judge.ts';
import { isInSlice, type SliceFold, sliceFold, sliceOf, slicesOf } from './slices.ts';

export type RebuildParts = {
  readonly records: RecordLog;
  readonly store: Pick<DeliveryStore, 'stored' | 'deliveries' | 'mend'>;
  readonly queues: Pick<EndpointQueues, 'isUnderWay'>;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
};

/** A partition of this process whose deliveries are compared with the log. */
export type Rebuilding = {
  readonly partition: number;
  readonly signal: AbortSignal;
  readonly wish: DeliveryRebuild;
  /** Null where it was not begun. */
  readonly before: PartitionRebuild | null;
  /** Keeps how far it is. @returns false once the rebuild is not wanted any more */
  readonly report: (progress: PartitionRebuild) => Promise<boolean>;
  /** Offset of `webhook-events` that is planned next, as it stands or stood in the store. */
  readonly nextRequest: () => number;
  /** Everything that the log tells below that offset of `webhook-events` is planned. */
  readonly isPlanned: (end: number) => boolean;
  /** Opens the partition anew: it is planned from where the store says now. */
  readonly reopen: () => void;
};

/** Another second to those that were stored a moment ago, or are about to be. */
const LOOK_AGAIN_MS = 1_000;
const LOOKS = 3;
/** An attempt that is under way is waited for: longer than the longest. */
const MOST_LOOKS = 120;
const MOST_AT_ONCE = 200;
const REPORT_EVERY_MS = 1_000;
/** A delivery that is planned again and still differs would keep its partition busy for ever. */
const MOST_TRIES = 3;

/** Somebody gave it up. */
class NotWanted extends Error {}

const endOf = async ({ records: { log } }: RebuildParts, partition: number): Promise<number> => {
  const its = (await log.reachableBounds('webhook-events')).find((one) => one.partition === partition);
  if (its === undefined) throw new Error(`partition ${partition} of webhook-events has no leader`);
  if (its.start > 0) throw new Error(`partition ${partition} of webhook-events has lost its beginning`);
  return its.end;
};

/** Where what is planned at that place of `render-status`, or behind it, is first told of. */
const firstOf = async (
  { records }: RebuildParts,
  { partition, signal }: Rebuilding,
  status_offset: number,
  end: number,
): Promise<number> => {
  for await (const { offset, event } of webhookEvents(records, partition, 0, end, signal))
    if ('status_offset' in event && event.status_offset !== null && event.status_offset >= status_offset) return offset;
  return end;
};

type Judged = {
  readonly id: string;
  readonly was: WebhookDeliveryDocument | null;
  readonly verdict: Exclude<Verdict, { tag: 'same' }>;
};

const COUNTED: { readonly [V in Judged['verdict']['tag']]: keyof Mended } = {
  store: 'changed',
  plan_again: 'planned_again',
  remove: 'removed',
};

const counted = (judged: readonly Judged[]): Mended =>
  allMended(
    judged.map(({ was, verdict: { tag } }) => {
      const member = tag === 'store' && was === null ? 'restored' : COUNTED[tag];
      return { ...NOTHING_MENDED, [member]: 1 };
    }),
  );

const mendedOf = ({ id, was, verdict }: Judged): MendedDelivery => ({
  ...{ id, was },
  to_be: verdict.tag === 'store' ? verdict.document : null,
});

/** Queues know of it, or have to learn of it. */
const isOpen = ({ was, verdict }: Judged): boolean => verdict.tag === 'plan_again' || was?.state === 'pending';

/**
 * Compares the deliveries of a partition with its log, slice by slice, and mends what differs. May be called again after
 * a crash, by whoever owns the partition then: it goes on with the slice that is not done.
 *
 * Rejects with `PartitionTaken` as `plan` does, and while store or log are away.
 */
export const rebuildPartition = async (parts: RebuildParts, rebuilding: Rebuilding): Promise<void> => {
  const { records, store, queues, clock } = parts;
  const { partition, signal, wish, before } = rebuilding;
  const next_request = rebuilding.nextRequest();
  let end = await endOf(parts, partition);
  // By a log that was restored to before the state, what it has lost would be taken away.
  if (end < next_request) throw new Error(`webhook-events/${partition} ends at ${end}, before ${next_request}`);
  while (!rebuilding.isPlanned(end)) await clock.sleep(LOOK_AGAIN_MS, signal);

  const slices = before?.slices ?? slicesOf(end);
  let progress: PartitionRebuild = before ?? {
    ...{ rebuild: wish.rebuild, slices, slices_done: 0, tries: 0, read: 0, of: slices * end, mended: NOTHING_MENDED },
  };
  let reported_at = Number.NEGATIVE_INFINITY;
  const report = async (change: Partial<PartitionRebuild>): Promise<void> => {
    progress = { ...progress, ...change };
    reported_at = clock.monotonic();
    if (!(await rebuilding.report(progress))) throw new NotWanted();
    signal.throwIfAborted();
  };

  /** Folds what the log has from there on, as far as it goes. */
  const foldOn = async (fold: SliceFold, from: number, to: number, read: number): Promise<void> => {
    let count = 0;
    for await (const record of records.log.replay('webhook-events', partition, from, to)) {
      const placed = await placedEvent(records, record, 'throw');
      if (placed !== null) fold.take(placed);
      count += 1;
      if (clock.monotonic() - reported_at > REPORT_EVERY_MS) await report({ read: read + count });
    }
  };

  const judgeIt = (fold: SliceFold, id: string, was: WebhookDeliveryDocument | null): Judged | null => {
    const verdict = judge(was, fold.told(id), partition, clock.now());
    return verdict.tag === 'same' ? null : { id, was, verdict };
  };

  /** What differs while everything that was under way with it has had the time to be stored. */
  const suspectsIn = async (fold: SliceFold, slice: IdRange): Promise<ReadonlySet<string>> => {
    const seen = new Set<string>();
    const suspects = new Set<string>();
    for await (const delivery of store.stored(partition, slice)) {
      signal.throwIfAborted();
      seen.add(delivery._id);
      if (judgeIt(fold, delivery._id, delivery) !== null) suspects.add(delivery._id);
    }
    for (const id of fold.ids()) if (!seen.has(id) && judgeIt(fold, id, null) !== null) suspects.add(id);
    return suspects;
  };

  /** The documents first, then the log: it is never behind them. */
  const judgeAgain = async (fold: SliceFold, ids: readonly string[]): Promise<readonly Judged[]> => {
    const found = new Map<string, WebhookDeliveryDocument>();
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE)
      for (const one of await store.deliveries(ids.slice(from, from + MOST_AT_ONCE))) found.set(one._id, one);
    const now_end = await endOf(parts, partition);
    await foldOn(fold, end, now_end, progress.read);
    end = now_end;
    return ids.flatMap((id) => {
      const its = found.get(id) ?? null;
      // One of another partition that no event here tells of is that partition's.
      if (its !== null && its.partition !== partition && fold.told(id) === null) return [];
      return judgeIt(fold, id, its) ?? [];
    });
  };

  const backTo = async (fold: SliceFold, again: readonly Judged[]): Promise<Plan['next']> => {
    const histories = again.flatMap(({ id, verdict }) =>
      verdict.tag === 'plan_again' ? (fold.told(id)?.history ?? []) : [],
    );
    const requests = histories.flatMap(({ requested_at }) => requested_at ?? []);
    const statuses = histories.flatMap(({ requested_at, delivery: { status_offset } }) =>
      requested_at === null && status_offset !== null ? [status_offset] : [],
    );
    if (statuses.length === 0) return requests.length === 0 ? {} : { next_request: Math.min(...requests) };
    const next_status = Math.min(...statuses);
    return { next_status, next_request: Math.min(...requests, await firstOf(parts, rebuilding, next_status, end)) };
  };

  /** @returns what was mended, and whether the partition has to be opened anew */
  const mend = async (fold: SliceFold, all: readonly Judged[]): Promise<{ mended: Mended; is_reopened: boolean }> => {
    const closed = all.filter((one) => !isOpen(one));
    let mended = NOTHING_MENDED;
    const put = async (some: readonly Judged[], back_to: Plan['next'] | null): Promise<void> => {
      const ids = await store.mend({ partition, deliveries: some.map(mendedOf), back_to }, signal);
      mended = allMended([mended, counted(some.filter(({ id }) => ids.has(id)))]);
    };
    for (let from = 0; from < closed.length; from += MOST_AT_ONCE)
      await put(closed.slice(from, from + MOST_AT_ONCE), null);
    const open = all.filter(isOpen).slice(0, MOST_AT_ONCE);
    if (open.length > 0) await put(open, await backTo(fold, open));
    return { mended, is_reopened: open.length > 0 };
  };

  const isUnderWay = (fold: SliceFold, { id, was }: Judged): boolean => {
    const endpoints = [was?.endpoint_id, fold.told(id)?.history.delivery.endpoint_id];
    return endpoints.some((endpoint) => endpoint !== undefined && queues.isUnderWay(partition, endpoint, id));
  };

  /** @returns false where the partition is opened anew, and the slice has to be looked at once more */
  const rebuildSlice = async (slice: IdRange): Promise<boolean> => {
    const fold = sliceFold(slice, parts.schedule);
    const read = progress.slices_done * (progress.of / progress.slices);
    await foldOn(fold, 0, end, read);
    let ids: readonly string[] = [...(await suspectsIn(fold, slice))].filter((id) => isInSlice(id, slice));
    for (let look = 1; ids.length > 0; look += 1) {
      const judged = await judgeAgain(fold, ids);
      ids = judged.map(({ id }) => id);
      if (ids.length === 0) break;
      if (look >= LOOKS) {
        if (look >= MOST_LOOKS) throw new Error(`${ids.length} deliveries are under way again and again`);
        const still = judged.filter((one) => !isUnderWay(fold, one));
        if (still.some(isOpen) && progress.tries >= MOST_TRIES) {
          const left = { ...NOTHING_MENDED, left: still.filter(isOpen).length };
          const { mended } = await mend(
            fold,
            still.filter((one) => !isOpen(one)),
          );
          await report({ mended: allMended([progress.mended, mended, left]) });
          return true;
        }
        const { mended, is_reopened } = await mend(fold, still);
        await report({
          mended: allMended([progress.mended, mended]),
          tries: progress.tries + (is_reopened ? 1 : 0),
        });
        if (is_reopened) return false;
      }
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
    return true;
  };

  try {
    while (!isRebuilt(progress)) {
      if (!(await rebuildSlice(sliceOf(progress.slices_done, progress.slices)))) return rebuilding.reopen();
      const slices_done = progress.slices_done + 1;
      await report({ slices_done, tries: 0, read: slices_done * (progress.of / progress.slices) });
    }
  } catch (error) {
    if (!(error instanceof NotWanted)) throw error;
  }
};
