import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { acceptStatusRecord } from '../../platform/records/render-status.ts';
import type { InactiveRenderCleaner } from '../../read-models/left/left-renders.ts';
import { type ErasedFileCounts, eraseFiles, type RenderFileStores } from './erase-files.ts';
import { retryErasure } from './erase-patiently.ts';
import type { ErasurePositions } from './positions.ts';

export type FollowErasuresDependencies = RenderFileStores & {
  readonly records: RecordLog;
  readonly positions: ErasurePositions;
  /** Clears generations of the read model that no process folds, because erasures in the log do not reach them. */
  readonly left: Pick<InactiveRenderCleaner, 'clear'>;
  readonly stops: StoppedPartitions;
  readonly on_erased: (erased: ErasedFileCounts) => void;
  readonly logger: Logger;
  readonly clock: Clock;
};

const PARTITIONS_AT_ONCE = 4;
const SAVE_EVERY_MS = 60_000;

export const followErasures = async (
  parts: FollowErasuresDependencies,
): Promise<Pick<Processor<PartitionTask<RenderFactAccepted>>, 'stop' | 'lag'>> => {
  const { positions, left, on_erased, logger, clock } = parts;
  const warn = throttledWarn(logger);

  const erase = async ({ render }: RenderFactAccepted, signal: AbortSignal): Promise<void> => {
    const onFailure = (error: unknown): void => warn({ error }, 'the files of an erased render are not deleted yet');
    const about = { render_id: render.id, account_id: render.account_id };
    try {
      const eraseAll = async (): Promise<ErasedFileCounts> => {
        await left.clear([render.id]);
        return await eraseFiles(parts, about, signal);
      };
      const erased = await retryErasure(eraseAll, { clock, signal, onFailure });
      on_erased(erased);
      logger.info({ ...about, ...erased }, 'the files of an erased render are deleted');
    } catch (error) {
      signal.throwIfAborted();
      // Continues with later erasures, which must not wait for this one.
      logger.error(
        { ...about, error },
        'the files of an erased render cannot all be deleted: each pass of the sweep tries again',
      );
    }
  };

  return await startProcessor<RenderFactAccepted, PartitionTask<RenderFactAccepted>>({
    ...parts,
    group: 'retention',
    topic: 'render-status',
    concurrency: PARTITIONS_AT_ONCE,
    accept: acceptStatusRecord,
    unknown: 'stop',
    open: async ({ partition, signal, lost }) => {
      const start = await positions.load(partition);
      let saved_at = clock.monotonic();
      const process = async (entries: readonly BatchEntry<RenderFactAccepted>[]): Promise<void> => {
        const last = entries.at(-1);
        if (last === undefined) return;
        let has_erased = false;
        for (const entry of entries) {
          signal.throwIfAborted();
          if (entry.tag === 'poison')
            logger.error(
              { partition, offset: entry.record.offset, reason: entry.reason },
              'skipped a record that cannot be read',
            );
          if (entry.tag !== 'event' || entry.event.fact_type !== 'RenderErased') continue;
          await erase(entry.event, signal);
          has_erased = true;
        }
        if (!has_erased && clock.monotonic() - saved_at < SAVE_EVERY_MS) return;
        const onFailure = (error: unknown): void => warn({ error }, 'the position of erasures is not saved yet');
        const is_saved = await retry(() => positions.save(partition, last.record.offset + 1), {
          clock,
          signal,
          onFailure,
        });
        saved_at = clock.monotonic();
        if (is_saved) return;
        logger.warn({ partition }, 'the blob store lacks the saved position of erasures: was a backup restored?');
        lost();
      };
      return { start, process };
    },
  });
};
