import { summaryOf } from '../domain/statistics/hours.ts';
import type { HourCounts } from '../read-models/statistics/statistics.ts';
import { csvText } from './csv-text.ts';

const COLUMNS = [
  ...['at', 'requested', 'completed', 'failed', 'failures', 'charged_credits'],
  ...['wait_p50_ms', 'wait_p95_ms', 'duration_p50_ms', 'duration_p95_ms'],
];

const rounded = (value: number | null): number | '' => (value === null ? '' : Math.round(value));

const rowOf = ({ at, ...counts }: HourCounts) => {
  const { failures, wait, duration, ...sums } = summaryOf(counts);
  return {
    ...sums,
    at: new Date(at).toISOString(),
    failures: failures.map(({ code, count }) => `${code}=${count}`).join('; '),
    wait_p50_ms: rounded(wait.p50_ms),
    wait_p95_ms: rounded(wait.p95_ms),
    duration_p50_ms: rounded(duration.p50_ms),
    duration_p95_ms: rounded(duration.p95_ms),
  };
};

export const statisticsCsv = (hours: readonly HourCounts[]): string => csvText(COLUMNS, hours.map(rowOf), true);
