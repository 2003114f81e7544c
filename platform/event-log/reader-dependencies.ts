import type { Logger } from '../logging/logger.ts';
import type { Readiness } from '../process/readiness.ts';
import type { Bounds } from './starting-point.ts';

/** What reading needs, with and without a consumer group. */
export type ReaderDependencies = {
  readonly bounds: Bounds;
  readonly isKeptForEver: (topic: string) => boolean;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly on_crash: (error: unknown) => void;
  /** Aborted when the event log is closed: what still waits for Kafka gives up. */
  readonly closing: AbortSignal;
};
