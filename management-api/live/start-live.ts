import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { followChanges } from './follow-changes.ts';
import type { Listeners } from './listeners.ts';

export type StartLiveDependencies = {
  readonly listeners: Listeners;
  readonly records: RecordLog;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly crash: (error: unknown) => void;
};

const LOOK_EVERY_MS = 800;
const TICK_MS = 1_000;
const HEARTBEAT_EVERY_MS = 15_000;

export const startLive = (parts: StartLiveDependencies): { readonly stop: () => Promise<void> } => {
  const { listeners, records, logger, metrics, clock, stopping, crash } = parts;
  const warn = throttledWarn(logger);
  sampledGauge(metrics, 'management_listeners', 'Open streams of changes', [], async () => [
    { labels: {}, value: listeners.count },
  ]);
  sampledGauge(metrics, 'management_listeners_waiting_bytes', 'Bytes buffered for listeners', [], async () => [
    { labels: {}, value: listeners.waiting_bytes },
  ]);
  const looking = runRepeatedly(
    clock,
    LOOK_EVERY_MS,
    () => listeners.look(),
    (error) => warn({ error }, 'cannot check the rights of listeners'),
  );
  const timers = [
    clock.every(TICK_MS, () => listeners.tick()),
    clock.every(HEARTBEAT_EVERY_MS, () => listeners.heartbeat()),
  ];
  stopping.addEventListener('abort', () => listeners.endAll(), { once: true });
  followChanges(records, listeners, logger, clock).catch((error: unknown) => {
    if (!stopping.aborted) crash(error);
  });
  return {
    stop: async () => {
      for (const end of timers) end();
      await looking.stop();
    },
  };
};
