import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { acceptStatusRecord } from '../../platform/records/render-status.ts';
import type { InactiveRenderCleaner } from '../../read-models/left/left-renders.ts';
import type { IgnoredSeals } from '../../read-models/renders/ignored-seals.ts';
import type { UnpuncturedSeal } from '../../read-models/retention/unpunctured-seals.ts';
import { type ErasedFileCounts, eraseFiles, type RenderFileStores } from './erase-files.ts';
import { retryErasure } from './erase-patiently.ts';
import type { ErasurePositions } from './positions.ts';
import type { PuncturePatiently } from './puncture-patiently.ts';

export type FollowErasuresDependencies = RenderFileStores & {
  readonly records: RecordLog;
  readonly positions: Pick<ErasurePositions, 'load' | 'save' | 'isCurrent'>;
  readonly punctureAll: PuncturePatiently;
  /** Keys of ignored requests, which no erasure in the log punctures. After a restore, all are punctured again. */
  readonly ignored_seals: Pick<IgnoredSeals, 'reset'>;
  /** Clears generations of the read model that no process folds, because erasures in the log do not reach them. */
  readonly left: Pick<InactiveRenderCleaner, 'clear'>;
  readonly stops: StoppedPartitions;
  readonly on_erased: (erased: ErasedFileCounts) => void;
  readonly logger: Logger;
  readonly clock: Clock;
};

const PARTITIONS_AT_ONCE = 4;
const SAVE_EVERY_MS = 60_000;
/** Without new records, no position is saved, so the notes are also checked at this interval. */
const CHECK_EVERY_MS = 30_000;

const sealOf = ({ render: { account_id, sealed } }: RenderFactAccepted): readonly UnpuncturedSeal[] =>
  sealed === null ? [] : [{ account_id, ...sealed }];

export const followErasures = async (
  parts: FollowErasuresDependencies,
): Promise<Pick<Processor<PartitionTask<RenderFactAccepted>>, 'stop' | 'lag'>> => {
  const { positions, punctureAll, ignored_seals, left, on_erased, logger, clock } = parts;
  const warn = throttledWarn(logger);

  const eraseFilesOf = async ({ render }: RenderFactAccepted, signal: AbortSignal): Promise<void> => {
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

  const open = new Map<number, () => void>();
  const repeat = (partition: number, lost: () => void): void => {
    logger.warn({ partition }, 'the blob store lacks the saved position of erasures: was a backup restored?');
    lost();
  };
  const checkPositions = async (): Promise<void> => {
    for (const [partition, lost] of open) if (!(await positions.isCurrent(partition))) repeat(partition, lost);
  };
  const checks = runRepeatedly(clock, CHECK_EVERY_MS, checkPositions, (error) =>
    warn({ error }, 'the positions of erasures cannot be checked'),
  );

  const processor = await startProcessor<RenderFactAccepted, PartitionTask<RenderFactAccepted>>({
    ...parts,
    group: 'retention',
    topic: 'render-status',
    concurrency: PARTITIONS_AT_ONCE,
    accept: acceptStatusRecord,
    unknown: 'stop',
    open: async ({ partition, signal, lost }) => {
      const start = await positions.load(partition);
      if (start === 0) await ignored_seals.reset();
      open.set(partition, lost);
      signal.addEventListener('abort', () => open.get(partition) === lost && open.delete(partition), { once: true });
      let saved_at = clock.monotonic();
      const process = async (entries: readonly BatchEntry<RenderFactAccepted>[]): Promise<void> => {
        const last = entries.at(-1);
        if (last === undefined) return;
        const erasures: RenderFactAccepted[] = [];
        for (const entry of entries) {
          if (entry.tag === 'poison')
            logger.error(
              { partition, offset: entry.record.offset, reason: entry.reason },
              'skipped a record that cannot be read',
            );
          if (entry.tag === 'event' && entry.event.fact_type === 'RenderErased') erasures.push(entry.event);
        }
        // Keys first: a puncture makes all copies of a text unreadable. All keys of a tree share one write.
        await punctureAll(erasures.flatMap(sealOf), signal);
        for (const erasure of erasures) {
          signal.throwIfAborted();
          await eraseFilesOf(erasure, signal);
        }
        if (erasures.length === 0 && clock.monotonic() - saved_at < SAVE_EVERY_MS) return;
        const onFailure = (error: unknown): void => warn({ error }, 'the position of erasures is not saved yet');
        const is_saved = await retry(() => positions.save(partition, last.record.offset + 1), {
          clock,
          signal,
          onFailure,
        });
        saved_at = clock.monotonic();
        if (!is_saved) repeat(partition, lost);
      };
      return { start, process };
    },
  });
  return {
    lag: processor.lag,
    stop: async () => {
      await checks.stop();
      await processor.stop();
    },
  };
};
