import { type Metrics, measuredGauge } from '../../platform/metrics/metrics.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import { contradiction, type TrustedTime } from './trusted-time.ts';

const MS_PER_S = 1_000;

/** Shows each clock, and whether they contradict each other. */
export const watchClocks = (time: TrustedTime, metrics: Metrics, readiness: Pick<Readiness, 'check'>): void => {
  measuredGauge(
    metrics,
    'retention_clock_timestamp_seconds',
    'Time of each clock; the earliest one decides deletions',
    ['source'],
    async () =>
      Object.entries(await time.readings()).map(([source, at]) => ({ labels: { source }, value: at / MS_PER_S })),
  );
  // A server that is unavailable reports itself, and a log without records delays only leftovers.
  readiness.check('clocks', () => time.readings().then(contradiction, () => null));
};
