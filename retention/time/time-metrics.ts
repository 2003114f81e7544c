import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import { clockContradiction, type TrustedTime } from './trusted-time.ts';

const MS_PER_S = 1_000;

export const watchClocks = (time: TrustedTime, metrics: Metrics, readiness: Pick<Readiness, 'check'>): void => {
  sampledGauge(
    metrics,
    'retention_clock_timestamp_seconds',
    'Time of each clock; the earliest one decides deletions',
    ['source'],
    async () =>
      Object.entries(await time.readings()).map(([source, at]) => ({ labels: { source }, value: at / MS_PER_S })),
  );
  // Ignores clocks that cannot be read: an unavailable server reports itself, and an empty log delays only the deletion
  // of leftovers.
  readiness.check('clocks', () => time.readings().then(clockContradiction, () => null));
};
