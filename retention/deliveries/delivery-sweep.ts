import type { Logger } from '../../platform/logging/logger.ts';
import type { DeliveryRetentions } from '../../read-models/catalogue/delivery-retentions.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { AnsweredDeliveries } from '../../read-models/deliveries/answered-deliveries.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import type { TrustedTime } from '../time/trusted-time.ts';

export type DeliverySweepDependencies = {
  readonly retentions: DeliveryRetentions;
  readonly read_model: Pick<CatalogueReadModel, 'teams' | 'endpoints'>;
  readonly deliveries: AnsweredDeliveries;
  readonly logger: Pick<Logger, 'info'>;
  readonly time: Pick<TrustedTime, 'now'>;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Deliveries per read. Each has up to 20 kB, plus a little per attempt. */
const AT_ONCE = 200;

/**
 * Removes endpoints' responses for accounts that keep them for less than the default. Each page handles one account.
 * The store expires the rest of a delivery. Pending deliveries stay unchanged.
 */
export const deliverySweep = (parts: DeliverySweepDependencies): Sweep => {
  const { retentions, read_model, deliveries, logger, time } = parts;
  const ofEndpoint = async (endpoint_id: string, before: number, signal: AbortSignal): Promise<number> => {
    let count = 0;
    for (;;) {
      signal.throwIfAborted();
      const found = await deliveries.plannedBefore(endpoint_id, before, AT_ONCE);
      if (found.length > 0) await deliveries.forgetAnswers(found);
      count += found.length;
      if (found.length < AT_ONCE) return count;
    }
  };
  return {
    name: 'deliveries',
    every_ms: HOUR_MS,
    page: async (from, signal) => {
      const [found] = await retentions(from, 1);
      if (found === undefined) return { next: null, removed: {} };
      const { account_id, days } = found;
      const before = (await time.now()) - days * DAY_MS;
      let count = 0;
      for (const team of await read_model.teams(account_id))
        for (const { id } of await read_model.endpoints(team.id)) count += await ofEndpoint(id, before, signal);
      if (count > 0) logger.info({ account_id, deliveries: count }, 'deleted answers to deliveries');
      return { next: account_id, removed: {} };
    },
  };
};
