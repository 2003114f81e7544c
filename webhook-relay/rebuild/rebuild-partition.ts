import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { IdRange } from '../../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryCorrection } from '../../read-models/deliveries/mend.ts';
import type { PlannedBatch } from '../../read-models/deliveries/plan.ts';
import {
  type CorrectionCounts,
  type DeliveryRebuild,
  isRebuilt,
  NO_CORRECTIONS,
  type PartitionRebuild,
  sumCorrections,
} from '../../read-models/deliveries/rebuild.ts';
import { decodePlacedEvent, webhookEvents } from '../plan/position-from-log.ts';
import type { DeliveryStore, EndpointQueues } from '../ports.ts';
import { type CorrectionVerdict, compareWithLog } from './judge.ts';
import { createSliceFold, isInSlice, type SliceFold, sliceCount, sliceRange } from './slices.ts';

export type RebuildPartitionDependencies = {
  readonly records: RecordLog;
  readonly store: Pick<DeliveryStore, 'stored' | 'deliveries' | 'correct'>;
  readonly queues: Pick<EndpointQueues, 'isUnderWay'>;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
};

export type PartitionRebuildRun = {
  readonly partition: number;
  readonly signal: AbortSignal;
  readonly wish: DeliveryRebuild;
  readonly before: PartitionRebuild | null;
  /** Stores the progress. @returns false once an operator cancelled the rebuild */
  readonly report: (progress: PartitionRebuild) => Promise<boolean>;
  readonly nextRequest: () => number;
  readonly isPlanned: (end: number) => boolean;
  readonly reopen: () => void;
};

/** Pause before a difference is judged again, because an outcome may be about to be stored. */
const LOOK_AGAIN_MS = 1_000;
const LOOKS = 3;
/** The maximum of looks at a difference, which together last longer than the longest attempt. */
const MAX_LOOKS = 120;
const MAX_AT_ONCE = 200;
const REPORT_EVERY_MS = 1_000;
/** How often one delivery may reopen its partition. */
const MAX_TRIES = 3;

class RebuildCancelled extends Error {}

/** The state of a rebuild. Only `report` and `foldToEnd` change it. */
type Run = {
  readonly parts: RebuildPartitionDependencies;
  readonly rebuilding: PartitionRebuildRun;
  end: number;
  progress: PartitionRebuild;
  reported_at: number;
};

const endOfPartition = async (
  { records: { log } }: RebuildPartitionDependencies,
  partition: number,
): Promise<number> => {
  const bounds = (await log.reachableBounds('webhook-events')).find((one) => one.partition === partition);
  if (bounds === undefined) throw new Error(`partition ${partition} of webhook-events has no leader`);
  if (bounds.start > 0) throw new Error(`partition ${partition} of webhook-events has lost its beginning`);
  return bounds.end;
};

const firstOf = async (
  { records }: RebuildPartitionDependencies,
  { partition, signal }: PartitionRebuildRun,
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
  readonly verdict: Exclude<CorrectionVerdict, { tag: 'same' }>;
};

const COUNTED: { readonly [V in Judged['verdict']['tag']]: keyof CorrectionCounts } = {
  store: 'changed',
  plan_again: 'planned_again',
  remove: 'removed',
};

const counted = (judged: readonly Judged[]): CorrectionCounts =>
  sumCorrections(
    judged.map(({ was, verdict: { tag } }) => {
      const member = tag === 'store' && was === null ? 'restored' : COUNTED[tag];
      return { ...NO_CORRECTIONS, [member]: 1 };
    }),
  );

const mendedOf = ({ id, was, verdict }: Judged): DeliveryCorrection => ({
  ...{ id, was },
  to_be: verdict.tag === 'store' ? verdict.document : null,
});

/** Whether the queues have or need the delivery. Correcting such a delivery reopens the partition. */
const isOpen = ({ was, verdict }: Judged): boolean => verdict.tag === 'plan_again' || was?.state === 'pending';

const report = async (run: Run, change: Partial<PartitionRebuild>): Promise<void> => {
  run.progress = { ...run.progress, ...change };
  run.reported_at = run.parts.clock.monotonic();
  if (!(await run.rebuilding.report(run.progress))) throw new RebuildCancelled();
  run.rebuilding.signal.throwIfAborted();
};

const foldEvents = async (run: Run, fold: SliceFold, from: number, to: number, read: number): Promise<void> => {
  const { records, clock } = run.parts;
  let count = 0;
  for await (const record of records.log.replay('webhook-events', run.rebuilding.partition, from, to)) {
    const placed = await decodePlacedEvent(records, record, 'throw');
    if (placed !== null) fold.take(placed);
    count += 1;
    if (clock.monotonic() - run.reported_at > REPORT_EVERY_MS) await report(run, { read: read + count });
  }
};

const foldToEnd = async (run: Run, fold: SliceFold): Promise<void> => {
  const end = await endOfPartition(run.parts, run.rebuilding.partition);
  await foldEvents(run, fold, run.end, end, run.progress.read);
  run.end = end;
};

const judgeOne = (run: Run, fold: SliceFold, id: string, was: WebhookDeliveryDocument | null): Judged | null => {
  const verdict = compareWithLog(was, fold.find(id), run.rebuilding.partition, run.parts.clock.now());
  return verdict.tag === 'same' ? null : { id, was, verdict };
};

/** Ids of deliveries that differ from the log now. Some may only wait for their outcome to be stored. */
const suspectsIn = async (run: Run, fold: SliceFold, slice: IdRange): Promise<ReadonlySet<string>> => {
  const { partition, signal } = run.rebuilding;
  const seen = new Set<string>();
  const suspects = new Set<string>();
  for await (const delivery of run.parts.store.stored(partition, slice)) {
    signal.throwIfAborted();
    seen.add(delivery._id);
    if (judgeOne(run, fold, delivery._id, delivery) !== null) suspects.add(delivery._id);
  }
  for (const id of fold.ids()) if (!seen.has(id) && judgeOne(run, fold, id, null) !== null) suspects.add(id);
  return suspects;
};

/** Judges deliveries again. The documents are read before the log, so that the log is never older. */
const judgeAgain = async (run: Run, fold: SliceFold, ids: readonly string[]): Promise<readonly Judged[]> => {
  const found = new Map<string, WebhookDeliveryDocument>();
  for (let from = 0; from < ids.length; from += MAX_AT_ONCE)
    for (const one of await run.parts.store.deliveries(ids.slice(from, from + MAX_AT_ONCE))) found.set(one._id, one);
  await foldToEnd(run, fold);
  return ids.flatMap((id) => {
    const was = found.get(id) ?? null;
    // A delivery of another partition is compared with the events of that partition.
    if (was !== null && was.partition !== run.rebuilding.partition && fold.find(id) === null) return [];
    return judgeOne(run, fold, id, was) ?? [];
  });
};

const positionBefore = async (run: Run, fold: SliceFold, again: readonly Judged[]): Promise<PlannedBatch['next']> => {
  const histories = again.flatMap(({ id, verdict }) =>
    verdict.tag === 'plan_again' ? (fold.find(id)?.history ?? []) : [],
  );
  const requests = histories.flatMap(({ requested_at }) => requested_at ?? []);
  const statuses = histories.flatMap(({ requested_at, delivery: { status_offset } }) =>
    requested_at === null && status_offset !== null ? [status_offset] : [],
  );
  if (statuses.length === 0) return requests.length === 0 ? {} : { next_request: Math.min(...requests) };
  const next_status = Math.min(...statuses);
  const first = await firstOf(run.parts, run.rebuilding, next_status, run.end);
  return { next_status, next_request: Math.min(...requests, first) };
};

const mend = async (
  run: Run,
  fold: SliceFold,
  all: readonly Judged[],
): Promise<{ readonly mended: CorrectionCounts; readonly is_reopened: boolean }> => {
  const { partition, signal } = run.rebuilding;
  const ended = all.filter((one) => !isOpen(one));
  let mended = NO_CORRECTIONS;
  const put = async (some: readonly Judged[], back_to: PlannedBatch['next'] | null): Promise<void> => {
    const ids = await run.parts.store.correct({ partition, deliveries: some.map(mendedOf), back_to }, signal);
    mended = sumCorrections([mended, counted(some.filter(({ id }) => ids.has(id)))]);
  };
  for (let from = 0; from < ended.length; from += MAX_AT_ONCE) await put(ended.slice(from, from + MAX_AT_ONCE), null);
  const open = all.filter(isOpen).slice(0, MAX_AT_ONCE);
  if (open.length > 0) await put(open, await positionBefore(run, fold, open));
  return { mended, is_reopened: open.length > 0 };
};

const isUnderWay = ({ parts, rebuilding }: Run, fold: SliceFold, { id, was }: Judged): boolean => {
  const endpoints = [was?.endpoint_id, fold.find(id)?.history.delivery.endpoint_id];
  return endpoints.some(
    (endpoint) => endpoint !== undefined && parts.queues.isUnderWay(rebuilding.partition, endpoint, id),
  );
};

/** Gives up on open deliveries that differ after every try, and corrects the others of the slice. */
const leaveOpen = async (run: Run, fold: SliceFold, still: readonly Judged[]): Promise<void> => {
  const left = { ...NO_CORRECTIONS, left: still.filter(isOpen).length };
  const ended = still.filter((one) => !isOpen(one));
  const { mended } = await mend(run, fold, ended);
  await report(run, { mended: sumCorrections([run.progress.mended, mended, left]) });
};

/** @returns false if the partition is reopened and the slice must be compared again */
const rebuildSlice = async (run: Run, slice: IdRange): Promise<boolean> => {
  const { clock, schedule } = run.parts;
  const fold = createSliceFold(slice, schedule);
  await foldEvents(run, fold, 0, run.end, run.progress.slices_done * (run.progress.of / run.progress.slices));
  let ids: readonly string[] = [...(await suspectsIn(run, fold, slice))].filter((id) => isInSlice(id, slice));
  for (let look = 1; ids.length > 0; look += 1) {
    const judged = await judgeAgain(run, fold, ids);
    ids = judged.map(({ id }) => id);
    if (ids.length === 0) break;
    if (look >= LOOKS) {
      if (look >= MAX_LOOKS) throw new Error(`${ids.length} deliveries did not end in time`);
      const still = judged.filter((one) => !isUnderWay(run, fold, one));
      if (still.some(isOpen) && run.progress.tries >= MAX_TRIES) {
        await leaveOpen(run, fold, still);
        return true;
      }
      const { mended, is_reopened } = await mend(run, fold, still);
      const { progress } = run;
      await report(run, {
        mended: sumCorrections([progress.mended, mended]),
        tries: progress.tries + (is_reopened ? 1 : 0),
      });
      if (is_reopened) return false;
    }
    await clock.sleep(LOOK_AGAIN_MS, run.rebuilding.signal);
  }
  return true;
};

const beginRun = async (parts: RebuildPartitionDependencies, rebuilding: PartitionRebuildRun): Promise<Run> => {
  const { partition, signal, wish, before } = rebuilding;
  const next_request = rebuilding.nextRequest();
  const end = await endOfPartition(parts, partition);
  // A log that was restored to a time before the stored state lacks deliveries, which must not be removed from the
  // store.
  if (end < next_request) throw new Error(`webhook-events/${partition} ends at ${end}, before ${next_request}`);
  while (!rebuilding.isPlanned(end)) await parts.clock.sleep(LOOK_AGAIN_MS, signal);
  const slices = before?.slices ?? sliceCount(end);
  const progress: PartitionRebuild = before ?? {
    ...{ rebuild: wish.rebuild, slices, slices_done: 0, tries: 0, read: 0, of: slices * end, mended: NO_CORRECTIONS },
  };
  return { parts, rebuilding, end, progress, reported_at: Number.NEGATIVE_INFINITY };
};

/**
 * Corrects the differences between store and log, slice by slice. After a crash, the next owner continues with the
 * first unfinished slice. Rejects with `PartitionTaken` as `plan` does, and on outage.
 */
export const rebuildPartition = async (
  parts: RebuildPartitionDependencies,
  rebuilding: PartitionRebuildRun,
): Promise<void> => {
  const run = await beginRun(parts, rebuilding);
  try {
    while (!isRebuilt(run.progress)) {
      if (!(await rebuildSlice(run, sliceRange(run.progress.slices_done, run.progress.slices))))
        return rebuilding.reopen();
      const { of, slices } = run.progress;
      const slices_done = run.progress.slices_done + 1;
      await report(run, { slices_done, tries: 0, read: slices_done * (of / slices) });
    }
  } catch (error) {
    if (!(error instanceof RebuildCancelled)) throw error;
  }
};
