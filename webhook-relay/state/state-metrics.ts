import { Counter, Gauge, Histogram } from 'prom-client';
import { durationHistogram, type Metrics } from '../../platform/metrics/metrics.ts';

/** What operators see of the relay's state. */
export type StateMetrics = {
  readonly committing: <A>(writes: number, commit: () => Promise<A>) => Promise<A>;
  readonly failed: () => void;
  /** @param count measured when it is read */
  readonly waiting: (count: () => number) => void;
};

export const createStateMetrics = (metrics: Metrics): StateMetrics => {
  const registers = [metrics];
  const seconds = durationHistogram(
    metrics,
    'webhook_state_commit_seconds',
    'Duration of a transaction that stores plans and outcomes',
    [],
  );
  const size = new Histogram({
    name: 'webhook_state_commit_writes',
    help: 'Plans and outcomes stored in one transaction',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  });
  const failures = new Counter({
    name: 'webhook_state_failures_total',
    help: 'Failed transactions, which are retried',
    registers,
  });
  return {
    committing: async (writes, commit) => {
      const end = seconds.startTimer();
      const result = await commit();
      end();
      size.observe(writes);
      return result;
    },
    failed: () => failures.inc(),
    waiting: (count) => {
      new Gauge({
        name: 'webhook_state_writes_waiting',
        help: 'Plans and outcomes that wait to be stored',
        registers,
        collect() {
          this.set(count());
        },
      });
    },
  };
};
