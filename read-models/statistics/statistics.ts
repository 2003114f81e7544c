import type { Db } from 'mongodb';
import type { RenderStatus } from '../../domain/render/render.ts';
import { addRenderCounts, NO_COUNTS, type RenderCounts } from '../../domain/statistics/hours.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { STATISTICS_SINCE } from '../generations.ts';
import { servingRenders } from '../renders/model.ts';
import type { StatisticsDocument, StatisticsScope } from './documents.ts';
import { currentCountsKey, dayKey, dayOf, dayOfKey, hourOfDay, hourStart } from './keys.ts';

/** `at` is the beginning of the hour, ms since the epoch. */
export type HourCounts = RenderCounts & { readonly at: number };

export type CurrentRenderCounts = Readonly<Record<RenderStatus, number>>;

/** All functions reject on store outage. */
export type RenderStatistics = {
  readonly areFolded: () => Promise<boolean>;
  /**
   * The hours that overlap a period, in ascending order, without empty ones: at most the last {@link MAX_HOURS}.
   *
   * @param since ms since the epoch
   * @param until ms since the epoch, exclusive
   */
  readonly hours: (scope: StatisticsScope, since: number, until: number) => Promise<readonly HourCounts[]>;
  readonly now: (scope: StatisticsScope) => Promise<CurrentRenderCounts>;
};

const HOUR_MS = 60 * 60 * 1_000;
/** 93 days. */
export const MAX_HOURS = 2_232;
const READ_TIMEOUT_MS = 10_000;

const addDay = (hours: Map<number, RenderCounts>, { by_day, hours: of_day = {} }: StatisticsDocument): void => {
  for (const [name, counts] of Object.entries(of_day)) {
    const at = hourOfDay(dayOfKey(by_day), name);
    hours.set(at, addRenderCounts(hours.get(at) ?? NO_COUNTS, { ...NO_COUNTS, ...counts }));
  }
};

export const openRenderStatistics = (db: Db): RenderStatistics => {
  const serving = servingRenders(db);
  return {
    areFolded: async () => (await serving()).model_version >= STATISTICS_SINCE,

    hours: async (scope, since, until) => {
      const { statistics } = await serving();
      const first = hourStart(Math.max(since, until - MAX_HOURS * HOUR_MS));
      const { account_id, team_id } = scope;
      const days = { $gte: dayKey(scope, dayOf(first)), $lt: dayKey(scope, dayOf(until - 1) + 1) };
      const hours = new Map<number, RenderCounts>();
      // A stream, because the documents of all partitions and days may have some MiB together.
      const found = statistics.find({ account_id, team_id, by_day: days }, queryTimeout(READ_TIMEOUT_MS));
      for await (const document of found) addDay(hours, document);
      return Array.from(hours, ([at, counts]): HourCounts => ({ at, ...counts }))
        .filter(({ at }) => at >= first && at < until)
        .toSorted((a, b) => a.at - b.at)
        .slice(-MAX_HOURS);
    },

    now: async (scope) => {
      const { statistics } = await serving();
      const found = await statistics.find({ by_day: currentCountsKey(scope) }, queryTimeout()).toArray();
      const in_status = (status: RenderStatus): number =>
        found.reduce((all, { statuses }) => all + (statuses?.[status] ?? 0), 0);
      return {
        initializing: in_status('initializing'),
        ready: in_status('ready'),
        queued: in_status('queued'),
        processing: in_status('processing'),
        finalizing: in_status('finalizing'),
        complete: in_status('complete'),
        failed: in_status('failed'),
      };
    },
  };
};
