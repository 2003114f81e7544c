import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { PendingText, PendingTexts } from '../../read-models/pending-texts.ts';

export type PendingReport = {
  /** @returns whether an operator requested an immediate read */
  readonly look: (partitions: readonly number[]) => Promise<boolean>;
  /** Withdraws the report: the process stopped, or another one has the partitions. */
  readonly stop: () => Promise<void>;
};

const EVERY_MS = 2_000;

export type PendingReportDependencies<Row extends PendingText> = {
  readonly pending: PendingTexts<Row>;
  readonly group: string;
  readonly topic: Topic;
  readonly what: string;
  readonly stops: StoppedPartitions;
  readonly readiness: Pick<Readiness, 'set'>;
  readonly counted: (count: number) => void;
  readonly clock: Clock;
};

type Place = { readonly partition: number; readonly reason: string; readonly offset: number };

export const reportPending = <Row extends PendingText>(parts: PendingReportDependencies<Row>): PendingReport => {
  const { group, topic, what, stops, readiness, counted, clock } = parts;
  const pending = parts.pending;
  let looked_at = Number.NEGATIVE_INFINITY;
  let reported: readonly Place[] = [];

  const stopOf = ({ partition, offset, reason }: Place) => ({ group, topic, partition, offset, reason });

  /** Null if no row needs attention. A row without a retry is new, and needs none yet. */
  const placeOf = async (partition: number): Promise<Place | null> => {
    const lasting: object = { partition, tries: { $gt: 0 } };
    const [oldest] = await pending.find<PendingText>(lasting, queryTimeout()).sort({ offset: 1 }).limit(1).toArray();
    if (oldest === undefined) return null;
    const count = await pending.countDocuments(lasting, queryTimeout());
    const { offset, fault, payload } = oldest;
    const why = fault === 'refused' ? 'the blob store refuses' : 'the blob store does not serve';
    return {
      ...{ partition, offset },
      reason: `${count} ${what} are pending: ${why} ${payload.path}. The partition continues without them`,
    };
  };

  const tell = async (places: readonly Place[]): Promise<boolean> => {
    const gone = reported.filter(({ partition }) => !places.some((place) => place.partition === partition));
    await Promise.all(gone.map((place) => stops.forget(stopOf(place))));
    reported = places;
    const requests = await Promise.all(places.map((place) => stops.report(stopOf(place))));
    const [first] = places;
    readiness.set(group, first === undefined ? null : first.reason);
    return requests.includes(true);
  };

  return {
    look: async (partitions) => {
      if (clock.monotonic() < looked_at + EVERY_MS) return false;
      looked_at = clock.monotonic();
      const here: object = { partition: { $in: [...partitions] } };
      const count = partitions.length === 0 ? 0 : await pending.countDocuments(here, queryTimeout());
      counted(count);
      const places: Place[] = [];
      if (count > 0)
        for (const partition of partitions) {
          const place = await placeOf(partition);
          if (place !== null) places.push(place);
        }
      return await tell(places);
    },
    stop: async () => {
      counted(0);
      await tell([]);
    },
  };
};
