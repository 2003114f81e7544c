import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';

export type ProjectionMetrics = {
  readonly committed: (
    topic: string,
    partition: number,
    passed: readonly BatchEntry<unknown>[],
    now_ms: number,
  ) => void;
  readonly lag: (topic: string, partition: number, records: number) => void;
  readonly stopped: (topic: string, partition: number) => void;
  readonly restarted: (topic: string, partition: number) => void;
  readonly storeFailed: (topic: string) => void;
  readonly published: (topic: string, count: number) => void;
  readonly publishFailed: (topic: string) => void;
  readonly foundCorrupt: (topic: string) => void;
  readonly lostText: (topic: string) => void;
  readonly pendingTexts: (topic: string, count: number) => void;
  /** Removes the lag of the topic, because this process no longer follows the generation. */
  readonly ended: (topic: string) => void;
};

const textMetrics = (registers: Registry[]) => {
  const corrupt = new Counter({
    name: 'projection_corrupt_payloads_total',
    help: 'Payloads whose hash differs, left out as if they were erased',
    labelNames: ['topic', 'generation'],
    registers,
  });
  const lost = new Counter({
    name: 'projection_lost_texts_total',
    help: 'Sealed texts whose key tree or box is lost, although no erasure is known; the id is shown instead',
    labelNames: ['topic', 'generation'],
    registers,
  });
  const pending = new Gauge({
    name: 'projection_pending_texts',
    help: 'Texts that the blob store did not serve in time, to be filled in later',
    labelNames: ['topic', 'generation'],
    registers,
  });
  return { corrupt, lost, pending };
};

/** The metrics of each generation are separate, so that a rebuild does not look like an outage. */
export const createProjectionMetrics = (registry: Registry): ((generation: number) => ProjectionMetrics) => {
  const registers = [registry];
  const lagSeconds = new Histogram({
    name: 'projection_lag_seconds',
    help: 'Time from the append of a record to the commit of its changes',
    labelNames: ['topic', 'generation'],
    buckets: [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const lagRecords = new Gauge({
    name: 'projection_lag_records',
    help: 'Records in the log that are not folded yet',
    labelNames: ['topic', 'generation', 'partition'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'projection_batch_records',
    help: 'Records folded in one transaction',
    labelNames: ['topic', 'generation'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  });
  const quarantined = new Counter({
    name: 'projection_quarantined_total',
    help: 'Records that were quarantined and skipped',
    labelNames: ['topic', 'generation', 'partition'],
    registers,
  });
  const stopped = new Gauge({
    name: 'projection_stopped_partitions',
    help: '1 for a stopped partition that waits for an operator',
    labelNames: ['topic', 'generation', 'partition'],
    registers,
  });
  const storeFailures = new Counter({
    name: 'projection_store_failures_total',
    help: 'Failed transactions, which are retried',
    labelNames: ['topic', 'generation'],
    registers,
  });
  const published = new Counter({
    name: 'projection_published_total',
    help: 'Records published after a commit',
    labelNames: ['topic', 'generation'],
    registers,
  });
  const publishFailures = new Counter({
    name: 'projection_publish_failures_total',
    help: 'Failed sends, which are retried',
    labelNames: ['topic', 'generation'],
    registers,
  });
  const { corrupt, lost, pending } = textMetrics(registers);
  return (generation) => {
    const seen = new Set<number>();
    return {
      committed: (topic, partition, passed, now_ms) => {
        if (passed.length > 0) batchSize.observe({ topic, generation }, passed.length);
        for (const { tag, record } of passed) {
          const lag_s = Math.max(0, now_ms - record.append_time_ms) / 1000;
          lagSeconds.observe({ topic, generation }, lag_s);
          if (tag === 'poison') quarantined.inc({ topic, generation, partition });
        }
      },
      lag: (topic, partition, records) => {
        seen.add(partition);
        lagRecords.set({ topic, generation, partition }, records);
      },
      stopped: (topic, partition) => {
        seen.add(partition);
        stopped.set({ topic, generation, partition }, 1);
      },
      restarted: (topic, partition) => stopped.set({ topic, generation, partition }, 0),
      storeFailed: (topic) => storeFailures.inc({ topic, generation }),
      published: (topic, count) => published.inc({ topic, generation }, count),
      publishFailed: (topic) => publishFailures.inc({ topic, generation }),
      foundCorrupt: (topic) => corrupt.inc({ topic, generation }),
      lostText: (topic) => lost.inc({ topic, generation }),
      pendingTexts: (topic, count) => pending.set({ topic, generation }, count),
      ended: (topic) => {
        pending.remove({ topic, generation });
        for (const partition of seen) {
          lagRecords.remove({ topic, generation, partition });
          stopped.remove({ topic, generation, partition });
        }
      },
    };
  };
};
