import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { openDeliveries } from '../../read-models/deliveries/deliveries.ts';
import type { DeliveryStore } from '../ports.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createStateMetrics } from './state-metrics.ts';

export type OpenDeliveryStore = DeliveryStore & {
  /** What still waits to be read rejects. The store below it stays open. */
  readonly close: () => Promise<void>;
};

/** Makes the collections and indexes, however long the store is away, and gives the state of the relay in them. */
export const openDeliveryStore = async ({
  store,
  logger,
  metrics,
  clock,
}: {
  readonly store: ReadStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Promise<OpenDeliveryStore> => {
  const ending = new AbortController();
  const stop = ending.signal;
  const deliveries = openDeliveries(store);
  const warn = sparingWarnings(logger);
  const onFailure = (error: unknown): void => warn({ error }, 'the collections of deliveries cannot be made yet');
  await retry(deliveries.prepare, { clock, onFailure });
  return {
    ...createDeliveryStore({ deliveries, logger, metrics: createStateMetrics(metrics), clock, stop }),
    close: async () => ending.abort(),
  };
};
