import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { openDeliveries } from '../../read-models/deliveries/deliveries.ts';
import type { DeliveryStore } from '../ports.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { retriedRead } from './retried-read.ts';
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
}: {
  readonly store: ReadStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<OpenDeliveryStore> => {
  const ending = new AbortController();
  const stop = ending.signal;
  const deliveries = openDeliveries(store);
  await retriedRead(sparingWarnings(logger), stop)(deliveries.prepare);
  return {
    ...createDeliveryStore({ deliveries, logger, metrics: createStateMetrics(metrics), stop }),
    close: async () => ending.abort(),
  };
};
