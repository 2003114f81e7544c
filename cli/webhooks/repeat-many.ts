import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import { repeatDeliveryRequest } from '../../catalogue/delivery-requests.ts';
import type { DeliveryWithoutBody } from '../../read-models/deliveries/delivery-log.ts';
import type { CliFault } from '../fault.ts';
import type { DeliveryCommandContext } from './deliveries.ts';
import { requestDelivery } from './delivery-request.ts';
import { repeatRefusal } from './repeatable.ts';

const PAGE = 200;

const REPEAT = 'you can repeat the command safely';

export type RepeatResult = {
  readonly requested: number;
  /** Number of deliveries that were already repeated. */
  readonly repeated_before: number;
  /** Disabled endpoints, whose deliveries were skipped. */
  readonly disabled_endpoint_ids: readonly string[];
};

export type RepeatOptions = {
  readonly since: number;
  readonly endpoints: readonly EndpointView[];
  readonly on_progress: (requested: number) => void;
  /** Stops the command. The relay still makes the deliveries that were already requested. */
  readonly stop: AbortSignal;
};

const request = async (
  deliveries: DeliveryCommandContext,
  page: readonly DeliveryWithoutBody[],
): Promise<E.Either<CliFault, number>> => {
  const outcomes = await Promise.all(
    page.map((one) => requestDelivery(deliveries.records, repeatDeliveryRequest(one, deliveries), REPEAT)),
  );
  return outcomes.find(E.isLeft) ?? E.right(page.length);
};

/**
 * Requests a repeat of every exhausted or skipped delivery to these endpoints, oldest first. Skips tests and deliveries
 * that were already repeated. A later call continues where an interrupted one stopped.
 */
export const repeatDeliveries = async (
  deliveries: DeliveryCommandContext,
  { since, endpoints, on_progress, stop }: RepeatOptions,
): Promise<E.Either<CliFault, RepeatResult>> => {
  const disabled = endpoints.filter(({ state }) => state === 'disabled');
  const wanted = { states: ['exhausted', 'skipped'], from: since, to: Date.now(), limit: PAGE } as const;
  let requested = 0;
  let repeated_before = 0;
  for (const { id } of endpoints.filter(({ state }) => state === 'enabled')) {
    for await (const page of deliveries.log.pages({ endpoint_id: id, ...wanted })) {
      if (stop.aborted) return E.left({ tag: 'interrupted' });
      const repeatable = page.filter((delivery) => repeatRefusal(delivery) === null);
      const fresh = repeatable.filter(({ repeated_by }) => repeated_by === null);
      repeated_before += repeatable.length - fresh.length;
      const outcomes = await request(deliveries, fresh);
      if (E.isLeft(outcomes)) return outcomes;
      requested += outcomes.right;
      on_progress(requested);
    }
  }
  return E.right({ requested, repeated_before, disabled_endpoint_ids: disabled.map(({ id }) => id) });
};
