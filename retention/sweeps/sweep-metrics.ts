import { Counter } from 'prom-client';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { LeasedWork } from '../lease/lease.ts';
import type { SweepPageResult } from './progress.ts';
import type { SweepsProgress } from './run-sweeps.ts';

const MS_PER_S = 1_000;

/** When each sweep last ended. Omits `renders`, which is progress from an earlier version. */
const sweptInOne = (progress: SweepsProgress | null): readonly (readonly [sweep: string, ended_at: number | null])[] =>
  Object.entries(progress ?? {}).flatMap(([sweep, { last }]) =>
    sweep === 'renders' || sweep === 'open' ? [] : [[sweep, last?.ended_at ?? null] as const],
  );

export const sweepMetrics = (
  metrics: Metrics,
  leased: () => LeasedWork<SweepsProgress>,
  rendersEndedAt: () => number | null,
): ((page: SweepPageResult) => void) => {
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['kind'], registers: [metrics] });
  const removed = counter('retention_removed_blobs_total', 'Blobs that this process has deleted');
  const removed_bytes = counter('retention_removed_bytes_total', 'Bytes of blobs that this process has deleted');
  sampledGauge(metrics, 'retention_active', '1 in the one process that sweeps', [], async () => [
    { labels: {}, value: leased().isHeld() ? 1 : 0 },
  ]);
  sampledGauge(
    metrics,
    'retention_sweep_ended_timestamp_seconds',
    'End of the last pass of a sweep, by any process',
    ['sweep'],
    async () =>
      [...sweptInOne(leased().progress()), ['renders', rendersEndedAt()] as const].flatMap(([sweep, ended_at]) =>
        ended_at === null ? [] : [{ labels: { sweep }, value: ended_at / MS_PER_S }],
      ),
  );
  return (page) => {
    for (const [kind, all] of Object.entries(page.removed)) {
      removed.inc({ kind }, all.removed);
      removed_bytes.inc({ kind }, all.removed_bytes);
    }
  };
};
