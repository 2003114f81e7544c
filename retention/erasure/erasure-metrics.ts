import { Counter } from 'prom-client';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { ErasedFileCounts } from './erase-files.ts';

export const erasureMetrics = (metrics: Metrics, lag: () => Promise<number>): ((erased: ErasedFileCounts) => void) => {
  const renders = new Counter({
    name: 'retention_erased_renders_total',
    help: 'Erased renders whose files this process has deleted; counted again after a restore',
    registers: [metrics],
  });
  sampledGauge(
    metrics,
    'retention_erasure_lag_records',
    'Lag behind render-status in the search for erasures, on the partitions of this process',
    [],
    async () => [{ labels: {}, value: await lag() }],
  );
  return () => renders.inc();
};
