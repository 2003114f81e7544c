import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { Readiness } from '../platform/process/readiness.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { Quarantine } from '../read-models/quarantine.ts';
import type { ProjectionMetrics } from './checkpoint/projection-metrics.ts';
import type { RenderMetrics } from './render/render-metrics.ts';
import type { SampleMetrics } from './verification/sample-renders.ts';

/** What every generation of every read model is followed with. */
export type ProjectorDeps = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  /** Payloads: what the log does not say because it may name a person. */
  readonly blobs: Pick<BlobStore, 'getPayload' | 'getSaltedPayload'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly quarantine: Quarantine;
  readonly readiness: Pick<Readiness, 'set'>;
  readonly metricsOf: (generation: number) => ProjectionMetrics;
  /** Of renders, whichever generation serves. */
  readonly renderMetrics: RenderMetrics;
  /** Draws renders to be compared with the log; without it none are. */
  readonly sampling?: { readonly random: () => number; readonly metrics: SampleMetrics };
};
