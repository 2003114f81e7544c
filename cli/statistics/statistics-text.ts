import { STATUSES } from '../../domain/render/render.ts';
import { addRenderCounts, NO_COUNTS, type RenderSummary, summaryOf } from '../../domain/statistics/hours.ts';
import type { CurrentRenderCounts, HourCounts } from '../../read-models/statistics/statistics.ts';
import { type Cell, tableText } from '../table.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export type DaySummary = RenderSummary & {
  /** Start of the UTC day, in ms since the epoch. */
  readonly at: number;
};

export type StatisticsReport = {
  readonly now: CurrentRenderCounts;
  readonly total: RenderSummary;
  readonly days: readonly DaySummary[];
};

const summed = (hours: readonly HourCounts[]): RenderSummary => summaryOf(hours.reduce(addRenderCounts, NO_COUNTS));

export const statisticsReport = (hours: readonly HourCounts[], now: CurrentRenderCounts): StatisticsReport => ({
  now,
  total: summed(hours),
  days: Array.from(
    Map.groupBy(hours, ({ at }) => Math.floor(at / DAY_MS) * DAY_MS),
    ([at, of_day]): DaySummary => ({ at, ...summed(of_day) }),
  ),
});

/** `840 ms`, `12 s`, `3.5 min`, `2.1 h` */
const lengthText = (ms: number | null): string | null => {
  if (ms === null) return null;
  // Rounding may reach the next unit: 59.6 s are a minute, not 60 s.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${Number((ms / 1_000).toPrecision(2))} s`;
  if (ms < 3_570_000) return `${Number((ms / 60_000).toPrecision(2))} min`;
  return `${Number((ms / 3_600_000).toPrecision(2))} h`;
};

const HEADINGS = [
  ...['day', 'requested', 'completed', 'failed', 'credits'],
  ...['wait p50', 'wait p95', 'duration p50', 'duration p95'],
];

const row = (
  name: string,
  { requested, completed, failed, charged_credits, wait, duration }: RenderSummary,
): readonly Cell[] => [
  ...[name, requested, completed, failed, charged_credits],
  ...[wait.p50_ms, wait.p95_ms, duration.p50_ms, duration.p95_ms].map(lengthText),
];

export const statisticsText = ({ now, total, days }: StatisticsReport): string => {
  const table = tableText(HEADINGS, [
    ...days.map((day) => row(new Date(day.at).toISOString().slice(0, 10), day)),
    row('total', total),
  ]);
  const failures = total.failures.map(({ code, count }) => `${code} ${count}`).join(', ');
  const open = STATUSES.filter((status) => status !== 'complete' && status !== 'failed');
  return [
    table,
    '',
    ...(failures === '' ? [] : [`failures: ${failures}`]),
    `now: ${open.map((status) => `${now[status]} ${status}`).join(', ')}`,
  ].join('\n');
};
