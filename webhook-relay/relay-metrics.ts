import { Counter, Gauge, Histogram } from 'prom-client';
import { durationHistogram, type Metrics, sampledGauge } from '../platform/metrics/metrics.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../read-models/deliveries/outcome.ts';
import type { QueueFigures } from './queues/endpoint-queues.ts';

export type RelayMetrics = {
  readonly planned: (deliveries: readonly WebhookDeliveryDocument[]) => void;
  readonly recorded: (outcome: DeliveryOutcome) => void;
  readonly attempted: (attempt: WebhookAttempt, late_ms: number) => void;
  readonly poison: () => void;
};

const resultOf = ({ succeeded, status, fault }: WebhookAttempt): string => {
  if (succeeded) return 'succeeded';
  return status === null ? (fault?.code ?? 'failed') : `${Math.floor(status / 100)}xx`;
};

/** Endpoints and URLs are not labels, because their number is unlimited. */
export const relayMetrics = (metrics: Metrics, figures: () => QueueFigures): RelayMetrics => {
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Planned deliveries, and ended ones by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Ended attempts, by result',
    labelNames: ['result'],
    registers: [metrics],
  });
  const durations = durationHistogram(metrics, 'webhook_attempt_duration_seconds', 'Duration of one attempt', [
    'result',
  ]);
  const delays = durationHistogram(
    metrics,
    'webhook_attempt_delay_seconds',
    'Time from when an attempt is due until it starts',
    [],
  );
  const poison = new Counter({
    name: 'webhook_poison_records_total',
    help: 'Unreadable records of render-status, which are skipped',
    registers: [metrics],
  });
  sampledGauge(metrics, 'webhook_deliveries', 'Deliveries of this process, by state', ['state'], async () => {
    const { waiting, attempts_under_way, unrecorded, in_memory } = figures();
    return [
      { labels: { state: 'waiting' }, value: waiting },
      { labels: { state: 'in_memory' }, value: in_memory },
      { labels: { state: 'under_way' }, value: attempts_under_way },
      { labels: { state: 'unrecorded' }, value: unrecorded },
    ];
  });
  return {
    planned: (planned) => {
      for (const { state } of planned) deliveries.inc({ outcome: state === 'pending' ? 'planned' : state });
    },
    recorded: ({ result }) => {
      if (result.tag !== 'retry') deliveries.inc({ outcome: result.tag });
    },
    attempted: (attempt, late_ms) => {
      const result = resultOf(attempt);
      attempts.inc({ result });
      durations.observe({ result }, attempt.duration_ms / 1_000);
      delays.observe(late_ms / 1_000);
    },
    poison: () => poison.inc(),
  };
};

export type StateMetrics = {
  readonly committing: <A>(writes: number, commit: () => Promise<A>) => Promise<A>;
  readonly failed: () => void;
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
