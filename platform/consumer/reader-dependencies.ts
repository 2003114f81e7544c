import type { Logger } from '../logging/logger.ts';
import type { Readiness } from '../process/readiness.ts';
import type { ReadPartitionBounds } from './starting-point.ts';

export type ReaderDependencies = {
  readonly bounds: ReadPartitionBounds;
  readonly isKeptForEver: (topic: string) => boolean;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly on_crash: (error: unknown) => void;
  /** Aborts when the event log is closed. All waits for Kafka end. */
  readonly closing: AbortSignal;
};
