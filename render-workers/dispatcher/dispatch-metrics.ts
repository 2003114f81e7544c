import { ACCOUNT_CLASSES, type AccountClass } from '../../domain/dispatch/account-class.ts';
import {
  durationHistogram,
  LONG_DURATION_BUCKETS_S,
  type Metrics,
  measuredGauge,
} from '../../platform/metrics/metrics.ts';

export type DispatchMetrics = { readonly waited: (account_class: AccountClass, wait_ms: number) => void };

/** @param figures of this dispatcher now */
export const dispatchMetrics = (
  metrics: Metrics,
  figures: () => { readonly active: boolean; readonly open_renders: number },
): DispatchMetrics => {
  measuredGauge(metrics, 'dispatcher_active', '1 where this dispatcher is the active one', [], async () => [
    { labels: {}, value: figures().active ? 1 : 0 },
  ]);
  measuredGauge(metrics, 'dispatcher_open_renders', 'Prepared renders that are not final', [], async () => [
    { labels: {}, value: figures().open_renders },
  ]);
  const waits = durationHistogram(
    metrics,
    'render_wait_seconds',
    'Time from the request of a render until a worker is given it, by what its account had waiting then',
    ['account_class'],
    LONG_DURATION_BUCKETS_S,
  );
  for (const account_class of ACCOUNT_CLASSES) waits.zero({ account_class });
  return { waited: (account_class, wait_ms) => waits.observe({ account_class }, wait_ms / 1_000) };
};
