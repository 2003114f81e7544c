import type { FailedAttempt, Help, HelpWanted, RunningAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CreateMeta } from '../log/record-author.ts';

const HEARTBEAT_EVERY_MS = 2_000;

export type HeartbeatContent = {
  readonly slots: number;
  readonly draining: boolean;
  readonly attempts: readonly RunningAttempt[];
  readonly failed: readonly FailedAttempt[];
  readonly engines: readonly number[];
  readonly impediments: readonly string[];
  readonly wanted: readonly HelpWanted[];
  readonly helps: readonly Help[];
};

export type Heartbeats = {
  readonly now: () => void;
  readonly stop: () => Promise<void>;
};

/** A failed heartbeat is not retried, because the next one is more recent. */
export const startHeartbeats = (
  records: RecordLog,
  worker_id: string,
  by: CreateMeta,
  shown: () => HeartbeatContent,
  logger: Logger,
  clock: Clock,
): Heartbeats => {
  let beat = 0;
  let sending: Promise<void> | null = null;
  let again = false;

  const send = async (): Promise<void> => {
    do {
      again = false;
      beat += 1;
      const { failed, engines, impediments, wanted, helps, ...at_work } = shown();
      const meta = by(null, null);
      const attempts = [...at_work.attempts];
      const sentContent = { failed: [...failed], engines: [...engines], impediments: [...impediments] };
      const help = { wanted: [...wanted], helps: [...helps] };
      const record = {
        type: 'WorkerBeat' as const,
        meta,
        worker_id,
        beat,
        ...at_work,
        attempts,
        ...sentContent,
        ...help,
      };
      await records.append('worker-heartbeats', worker_id, record);
    } while (again);
  };
  const now = (): void => {
    if (sending !== null) {
      again = true;
      return;
    }
    sending = send()
      .catch((error: unknown) => logger.warn({ error }, 'a heartbeat was not sent'))
      .finally(() => {
        sending = null;
      });
  };
  const end = clock.every(HEARTBEAT_EVERY_MS, now);
  now();
  return {
    now,
    stop: async () => {
      end();
      now();
      await sending;
    },
  };
};
