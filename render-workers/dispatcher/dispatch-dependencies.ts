import type { DispatchLimits } from '../../domain/dispatch/decide.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { UnfinishedRenders } from '../../read-models/renders/unfinished-renders.ts';
import type { RetryingAppend } from '../log/append-until-known.ts';
import type { CreateMeta } from '../log/record-author.ts';
import type { renderWaits } from './render-waits.ts';

export type DispatchDependencies = {
  readonly dispatcher_id: string;
  readonly records: RecordLog;
  readonly stops?: StoppedPartitions;
  readonly append: RetryingAppend;
  readonly renders: UnfinishedRenders;
  /** Rejects while the read model lacks a record that was published before the call. */
  readonly requireCaughtUp: () => Promise<void>;
  readonly by: CreateMeta;
  readonly waited: Parameters<typeof renderWaits>[0];
  readonly limits: DispatchLimits;
  readonly logger: Logger;
  readonly clock: Clock;
};
