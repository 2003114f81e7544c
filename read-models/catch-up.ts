import type { Collection, Db } from 'mongodb';
import type { EventLog } from '../platform/event-log/event-log.ts';
import type { Topic } from '../platform/event-log/topics.ts';
import type { Clock } from '../platform/process/clock.ts';
import { readOncePerInterval } from '../platform/read-store/fresh-read.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { CheckpointDocument } from './checkpoint.ts';
import { checkpointsOf, type ReadModel, readServingPointer, type ServingPointer } from './generations.ts';
import { renderCollectionsIn } from './renders/model.ts';
import { type ReadWatermarks, readWatermarks } from './renders/watermarks.ts';

/** A read model that lacks data which a projector reported: its store is empty, or older than the log. */
export type LaggingReadModel = {
  readonly read_model: ReadModel;
  /** Folded records, and the number of reported ones; null until a projector reports it. */
  readonly folded: number;
  readonly of: number | null;
  /** Set if the log is older than the read model, because an operator restored an older log. */
  readonly lost?: LostRecords;
};

export type LostRecords = { readonly partition: number; readonly end: number; readonly folded: number };

/** The end offsets of a read model's topic, by partition. Partitions without a leader are missing. */
export type LogEnds = (read_model: ReadModel) => Promise<ReadonlyMap<number, number>>;

const TOPICS: { readonly [M in ReadModel]: Topic } = { renders: 'render-events', catalogue: 'catalogue-events' };

export const logEnds =
  (log: Pick<EventLog, 'reachableBounds'>): LogEnds =>
  async (read_model) =>
    new Map((await log.reachableBounds(TOPICS[read_model])).map(({ partition, end }) => [partition, end]));

/** The read models that lack reported data; empty if the store has all of it. Rejects on store outage. */
export type CatchUp = () => Promise<readonly LaggingReadModel[]>;

const READ_MODELS = ['catalogue', 'renders'] as const;

type Checkpoint = Pick<CheckpointDocument, '_id' | 'next' | 'target' | 'closed'>;

/**
 * A store may be replaced by its backup, so this process also remembers the highest position that it has seen.
 *
 * @param partitions the minimum number of partitions
 * @param seen the highest position that was seen in each partition; this function updates it
 */
export const findLag = (
  read_model: ReadModel,
  partitions: number,
  checkpoints: readonly Checkpoint[],
  seen: Map<number, number>,
): LaggingReadModel | null => {
  const found = new Map(checkpoints.map((one) => [one._id, one]));
  let [folded, of, is_behind, is_known] = [0, 0, false, true];
  for (let partition = 0; partition < Math.max(partitions, checkpoints.length); partition += 1) {
    const checkpoint = found.get(partition);
    if (checkpoint?.closed !== undefined) continue;
    const highest = seen.get(partition) ?? 0;
    if (checkpoint === undefined) {
      is_behind = true;
      is_known = false;
      continue;
    }
    const { next, target = 0 } = checkpoint;
    const wanted = Math.max(target, highest);
    seen.set(partition, Math.max(next, highest));
    if (next < wanted) is_behind = true;
    folded += next;
    of += Math.max(next, wanted);
  }
  return is_behind ? { read_model, folded, of: is_known ? of : null } : null;
};

/** @param ends end offsets; they must be read after the checkpoints, because new records would look lost otherwise */
export const findLostRecords = (
  checkpoints: readonly Checkpoint[],
  ends: ReadonlyMap<number, number>,
): LostRecords | null => {
  for (const { _id: partition, next: folded, closed } of checkpoints) {
    const end = ends.get(partition);
    if (closed === undefined && end !== undefined && end < folded) return { partition, end, folded };
  }
  return null;
};

const partitionsOf = async (checkpoints: Collection<CheckpointDocument>): Promise<readonly Checkpoint[]> => {
  const projection = { next: 1, target: 1, closed: 1 };
  return await checkpoints.find<Checkpoint>({}, { projection, ...queryTimeout() }).toArray();
};

/** The minimum of the watermarks, ms; null until each partition has one. */
const caughtUpAt = ({ marks }: ReadWatermarks, { partitions }: ServingPointer): number | null =>
  marks.length < Math.max(1, partitions) ? null : Math.min(...marks.map(({ at }) => at));

const watermarksOf = (db: Db, { generation }: ServingPointer): Promise<ReadWatermarks> =>
  readWatermarks(renderCollectionsIn(db, generation));

/** A projector counts as running if its watermark is at most this old. It writes one every second. */
const WORKS_MS = 15_000;
/** After this time, the positions in the store count even if no projector runs. */
const TRUSTED_AFTER_MS = 10_000;

/**
 * A new process does not know what the store had before. So the store counts as behind until a projector has checked
 * it, for 10 s at most. Each process checks at most once a second.
 *
 * @param ends only for processes that append: after the restore of an older log, their records would get the offsets of
 * lost records
 */
export const openCatchUp = (db: Db, clock: Clock, ends?: LogEnds): CatchUp => {
  const opened_at = clock.monotonic();
  const seen = new Map<string, Map<number, number>>();
  let is_trusted = false;

  const seenOf = (collection: string): Map<number, number> => {
    const known = seen.get(collection) ?? new Map<number, number>();
    seen.set(collection, known);
    return known;
  };

  const lost = new Map<ReadModel, LostRecords | null>();
  const asking = new Set<ReadModel>();
  /**
   * Not awaited, so that reads continue while Kafka is unavailable. Until the answer arrives, the previous one counts.
   */
  const lookAtLog = (read_model: ReadModel, checkpoints: readonly Checkpoint[]): void => {
    if (ends === undefined || asking.has(read_model)) return;
    asking.add(read_model);
    ends(read_model)
      .then((now) => void lost.set(read_model, findLostRecords(checkpoints, now)))
      .catch(() => undefined)
      .finally(() => asking.delete(read_model));
  };

  const isTrusted = async (renders: ServingPointer): Promise<boolean> => {
    if (clock.monotonic() - opened_at > TRUSTED_AFTER_MS) return true;
    const read = await watermarksOf(db, renders);
    return read.read_at !== null && (caughtUpAt(read, renders) ?? 0) >= read.read_at - WORKS_MS;
  };

  const look = async (read_model: ReadModel): Promise<LaggingReadModel | null> => {
    const unreported = { read_model, folded: 0, of: null };
    const pointer = await readServingPointer(db, read_model);
    if (pointer === null) return unreported;
    const checkpoints = checkpointsOf(db, read_model, pointer.generation);
    const seen_of = seenOf(checkpoints.collectionName);
    const found = await partitionsOf(checkpoints);
    lookAtLog(read_model, found);
    const loss = lost.get(read_model) ?? null;
    if (loss !== null) return { ...unreported, lost: loss };
    const behind = findLag(read_model, pointer.partitions, found, seen_of);
    if (behind !== null || read_model !== 'renders') return behind;
    is_trusted ||= await isTrusted(pointer);
    return is_trusted ? null : unreported;
  };

  return readOncePerInterval(async () => {
    const looked = await Promise.all(READ_MODELS.map(look));
    return looked.flatMap((behind) => behind ?? []);
  }, clock);
};

export type ReadModelState = {
  readonly read_model: ReadModel;
  /** Null before the first generation. */
  readonly generation: number | null;
  readonly folded: number;
  /** Number of reported records that are not folded; null until a projector reports. */
  readonly behind: number | null;
  /** The watermark of all partitions, ms; null if no projector writes it. */
  readonly caught_up_at: number | null;
};

export const readModelStates = (db: Db): Promise<readonly ReadModelState[]> =>
  Promise.all(
    READ_MODELS.map(async (read_model) => {
      const pointer = await readServingPointer(db, read_model);
      if (pointer === null) return { read_model, generation: null, folded: 0, behind: null, caught_up_at: null };
      const { generation, partitions } = pointer;
      const checkpoints = await partitionsOf(checkpointsOf(db, read_model, generation));
      const lacking = findLag(read_model, partitions, checkpoints, new Map());
      const folded = checkpoints.reduce((sum, { next }) => sum + Math.max(0, next), 0);
      const behind = lacking === null ? 0 : lacking.of === null ? null : lacking.of - lacking.folded;
      const caught_up_at = read_model === 'renders' ? caughtUpAt(await watermarksOf(db, pointer), pointer) : null;
      return { read_model, generation, folded, behind, caught_up_at };
    }),
  );

export const behindText = (behind: readonly LaggingReadModel[]): string | null =>
  behind.length === 0
    ? null
    : behind
        .map(({ read_model, folded, of, lost }) => {
          if (lost !== undefined)
            return `${read_model}: ${TOPICS[read_model]}/${lost.partition} ends at ${lost.end}, and ${lost.folded} of its records are folded: an older log was restored. Restore the newest copy (docs/backup.md)`;
          return of === null
            ? `${read_model}: no projector has reported its position yet`
            : `${read_model}: ${folded} of ${of} records are folded`;
        })
        .join('; ');

export const isAnyBehind = (catchUp: CatchUp) => async (): Promise<boolean> => (await catchUp()).length > 0;

export const requireCaughtUp = async (catchUp: CatchUp): Promise<void> => {
  const reason = behindText(await catchUp());
  if (reason !== null) throw new Error(`the read model is behind: ${reason}`);
};

/** Rejects while a read model is behind, because the answer could be outdated. */
export const rejectingWhileBehind =
  <Asked extends readonly unknown[], Answer>(catchUp: CatchUp, ask: (...queryArgs: Asked) => Promise<Answer>) =>
  async (...queryArgs: Asked): Promise<Answer> => {
    await requireCaughtUp(catchUp);
    return await ask(...queryArgs);
  };
