import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Judged } from './judge.ts';

/** What operators see of every projection. */
export type ProjectionMetrics = {
  readonly committed: (topic: string, partition: number, passed: readonly Judged<unknown>[], now_ms: number) => void;
  /** @param records how many are in the log and not yet folded */
  readonly lag: (topic: string, partition: number, records: number) => void;
  readonly stopped: (topic: string, partition: number) => void;
  readonly storeFailed: (topic: string) => void;
  readonly published: (topic: string, count: number) => void;
  readonly publishFailed: (topic: string) => void;
};

export const createProjectionMetrics = (registry: Registry): ProjectionMetrics => {
  const registers = [registry];
  const lagSeconds = new Histogram({
    name: 'projection_lag_seconds',
    help: 'From the append of a record to the commit of what it led to.',
    labelNames: ['topic'],
    buckets: [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const lagRecords = new Gauge({
    name: 'projection_lag_records',
    help: 'Records in the log that are not folded yet.',
    labelNames: ['topic', 'partition'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'projection_batch_records',
    help: 'Records folded in one transaction.',
    labelNames: ['topic'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  });
  const quarantined = new Counter({
    name: 'projection_quarantined_total',
    help: 'Records put into the quarantine and passed by.',
    labelNames: ['topic', 'partition'],
    registers,
  });
  const stopped = new Gauge({
    name: 'projection_stopped_partitions',
    help: '1 for a partition that waits for an operator.',
    labelNames: ['topic', 'partition'],
    registers,
  });
  const storeFailures = new Counter({
    name: 'projection_store_failures_total',
    help: 'Transactions that failed and were tried again.',
    labelNames: ['topic'],
    registers,
  });
  const published = new Counter({
    name: 'projection_published_total',
    help: 'Records published after a commit.',
    labelNames: ['topic'],
    registers,
  });
  const publishFailures = new Counter({
    name: 'projection_publish_failures_total',
    help: 'Sends that failed and were tried again.',
    labelNames: ['topic'],
    registers,
  });
  return {
    committed: (topic, partition, passed, now_ms) => {
      if (passed.length > 0) batchSize.observe({ topic }, passed.length);
      for (const { tag, record } of passed) {
        lagSeconds.observe({ topic }, Math.max(0, now_ms - record.append_time_ms) / 1000);
        if (tag === 'quarantined') quarantined.inc({ topic, partition });
      }
    },
    lag: (topic, partition, records) => lagRecords.set({ topic, partition }, records),
    stopped: (topic, partition) => stopped.set({ topic, partition }, 1),
    storeFailed: (topic) => storeFailures.inc({ topic }),
    published: (topic, count) => published.inc({ topic }, count),
    publishFailed: (topic) => publishFailures.inc({ topic }),
  };
};
