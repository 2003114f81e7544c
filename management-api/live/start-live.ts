import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueChangesDependencies } from './catalogue-changes.ts';
import { openCatalogueChanges } from './catalogue-changes.ts';
import type { DeliveryChangesDependencies } from './delivery-changes.ts';
import { openDeliveryChanges } from './delivery-changes.ts';
import { followChanges } from './follow-changes.ts';
import type { Listeners } from './listeners.ts';

export type StartLiveDependencies = {
  readonly listeners: Listeners;
  readonly records: RecordLog;
  readonly read_model: CatalogueChangesDependencies['read_model'] & DeliveryChangesDependencies['read_model'];
  readonly audit: CatalogueChangesDependencies['audit'];
  readonly deliveries: DeliveryChangesDependencies['deliveries'];
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
  const announcing = { ...parts, warn };
  const following = {
    ...{ listeners, logger, clock },
    catalogue: openCatalogueChanges(announcing),
    deliveries: openDeliveryChanges(announcing),
  };
  followChanges(records, following).catch((error: unknown) => {
    if (!stopping.aborted) crash(error);
  });
  return {
    stop: async () => {
      for (const end of timers) end();
      await looking.stop();
    },
  };
};
