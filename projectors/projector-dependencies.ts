import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { Readiness } from '../platform/process/readiness.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { SealOpener } from '../platform/seals/opener.ts';
import type { Quarantine } from '../read-models/quarantine.ts';
import type { ProjectionMetrics } from './checkpoint/projection-metrics.ts';
import type { RenderMetrics } from './render/render-metrics.ts';
import type { SampleMetrics } from './verification/sample-renders.ts';

export type ProjectorDependencies = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly blobs: Pick<BlobStore, 'getPayload' | 'getSaltedPayload'>;
  readonly seals: SealOpener;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly quarantine: Quarantine;
  readonly readiness: Pick<Readiness, 'set'>;
  readonly metricsOf: (generation: number) => ProjectionMetrics;
  readonly renderMetrics: RenderMetrics;
  /** Selects renders to compare with the log. If absent, no renders are compared. */
  readonly sampling?: { readonly random: () => number; readonly metrics: SampleMetrics };
};
