import { ACCOUNT_CLASSES, type AccountClass } from '../../domain/dispatch/account-class.ts';
import type { DispatchState } from '../../domain/dispatch/dispatch.ts';
import { WORKER_STANDINGS, workerStandingOf } from '../../domain/dispatch/placement.ts';
import {
  durationHistogram,
  LONG_DURATION_BUCKETS_S,
  type Metrics,
  sampledGauge,
} from '../../platform/metrics/metrics.ts';
import type { Clock } from '../../platform/process/clock.ts';

export type DispatchMetrics = { readonly waited: (account_class: AccountClass, wait_ms: number) => void };

export const dispatchMetrics = (
  metrics: Metrics,
  active: () => DispatchState | null,
  clock: Pick<Clock, 'monotonic'>,
): DispatchMetrics => {
  sampledGauge(metrics, 'dispatcher_active', '1 if this dispatcher is active', [], async () => [
    { labels: {}, value: active() === null ? 0 : 1 },
  ]);
  sampledGauge(metrics, 'dispatcher_open_renders', 'Prepared renders that are not final', [], async () => [
    { labels: {}, value: active()?.renders.size ?? 0 },
  ]);
  const waiting = 'Renders whose last attempt was lost to a disk, the blob store or an engine that is too old';
  sampledGauge(metrics, 'dispatcher_environment_waits', waiting, [], async () => [
    {
      labels: {},
      value: [...(active()?.renders.values() ?? [])].filter(({ wait, watch }) => wait !== null && watch === null)
        .length,
    },
  ]);
  const standing = 'Workers by whether they get renders: `impeded` by their own report, `set_aside` by the dispatcher';
  sampledGauge(metrics, 'dispatcher_workers', standing, ['standing'], async () => {
    const dispatch = active();
    const now = clock.monotonic();
    const standings =
      dispatch === null ? [] : [...dispatch.workers.values()].map((worker) => workerStandingOf(dispatch, worker, now));
    return WORKER_STANDINGS.map((one) => ({
      labels: { standing: one },
      value: standings.filter((other) => other === one).length,
    }));
  });
  const waits = durationHistogram(
    metrics,
    'render_wait_seconds',
    'Time from the request of a render to its assignment, by how many renders its account had waiting',
    ['account_class'],
    LONG_DURATION_BUCKETS_S,
  );
  for (const account_class of ACCOUNT_CLASSES) waits.zero({ account_class });
  return { waited: (account_class, wait_ms) => waits.observe({ account_class }, wait_ms / 1_000) };
};
