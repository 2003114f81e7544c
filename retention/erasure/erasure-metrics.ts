import { Counter } from 'prom-client';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { UnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
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

export const countRestoredTrees = (metrics: Metrics): ((trees: number) => void) => {
  const restored = new Counter({
    name: 'retention_restored_key_trees_total',
    help: 'Key trees that this process found older than the service wrote them, after a restore of a part of Blob',
    registers: [metrics],
  });
  return (trees) => restored.inc(trees);
};

export const watchUnpuncturedSeals = (metrics: Metrics, { count }: Pick<UnpuncturedSeals, 'count'>): void => {
  sampledGauge(
    metrics,
    'retention_unpunctured_seals',
    'Erased texts that are still readable, because Blob refuses to change their key trees',
    [],
    async () => [{ labels: {}, value: await count() }],
  );
};
