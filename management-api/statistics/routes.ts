import * as E from 'fp-ts/lib/Either.js';
import { addRenderCounts, NO_COUNTS, summaryOf } from '../../domain/statistics/hours.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { StatisticsScope } from '../../read-models/statistics/documents.ts';
import { type HourCounts, MAX_HOURS, type RenderStatistics } from '../../read-models/statistics/statistics.ts';
import { StatisticsQuery } from '../../schemas/http/management/reports.ts';
import type { Route, RouteGuards } from '../access/route-guards.ts';
import { unavailableWhileBuilding } from '../answers/being-made.ts';

export type StatisticsRouteDependencies = { readonly statistics: RenderStatistics; readonly clock: Pick<Clock, 'now'> };

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const USUAL_MS = 30 * DAY_MS;
/** By hour the answer has a row for each hour, so it covers a shorter time. */
const MAX_PERIOD_MS = { day: MAX_HOURS * HOUR_MS, hour: 31 * DAY_MS } as const;
/** The statistics are read up to this long after now, because the broker's clock may be ahead of this process. */
const AHEAD_MS = 60_000;
const BEING_MADE = unavailableWhileBuilding('the statistics are being rebuilt from the log');

const daysOf = (hours: readonly HourCounts[]): readonly HourCounts[] =>
  [...Map.groupBy(hours, ({ at }) => Math.floor(at / DAY_MS))].map(([day, of_day]) => ({
    at: day * DAY_MS,
    ...of_day.reduce(addRenderCounts, NO_COUNTS),
  }));

const statisticsOf = async (
  { statistics, clock }: StatisticsRouteDependencies,
  query: URLSearchParams,
  scope: StatisticsScope,
) => {
  const request = StatisticsQuery.decode(query);
  if (E.isLeft(request)) return E.left(invalidInput(request.left));
  const { by } = request.right;
  const until = request.right.until ?? clock.now() + AHEAD_MS;
  const since = Math.max(request.right.since ?? until - USUAL_MS, until - MAX_PERIOD_MS[by]);
  if (since >= until)
    return E.left<ApiError>({
      tag: 'invalid',
      code: 'invalid_parameter',
      param: 'since',
      message: 'since: must be before until',
    });
  if (!(await statistics.areFolded())) return E.left(BEING_MADE);
  const [hours, now] = await Promise.all([statistics.hours(scope, since, until), statistics.now(scope)]);
  const data = by === 'hour' ? hours : daysOf(hours);
  const all = summaryOf(hours.map(({ at: _, ...counts }) => counts).reduce(addRenderCounts, NO_COUNTS));
  const rows = data.map(({ at, ...counts }) => ({ at, ...summaryOf(counts) }));
  return E.right({ status: 200, body: { since, until, by, now, all, data: rows } });
};

export const statisticsRoutes = (guards: RouteGuards, parts: StatisticsRouteDependencies): readonly Route[] => [
  guards.forTeamMember('GET', '/manage/v1/teams/{team_id}/statistics', ({ query }, { team }) =>
    statisticsOf(parts, query, { account_id: team.account_id, team_id: team.id }),
  ),
  guards.forAccountOwner('GET', '/manage/v1/accounts/{account_id}/statistics', ({ query }, { account }) =>
    statisticsOf(parts, query, { account_id: account.id, team_id: null }),
  ),
];
