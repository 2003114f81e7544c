import * as E from 'fp-ts/lib/Either.js';
import { repeatDeliveryRequest } from '../../catalogue/delivery-requests.ts';
import { endpointWithHistory } from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CliFault } from '../fault.ts';
import type { DeliveryCommandContext } from './deliveries.ts';
import { requestDelivery } from './delivery-request.ts';
import { endpointRefusal, repeatRefusal } from './repeatable.ts';

const REPEAT = 'you can repeat the command safely';

/** `repeated` is set if an earlier command requested the repeat. */
export type RepeatedDelivery = { readonly id: string; readonly repeats: string; readonly repeated?: true };

/**
 * Requests a repeat of a delivery, whatever its result.
 *
 * @returns on the left `not_found`, `refused`, or that the request was not appended
 */
export const repeatDelivery = async (
  deliveries: DeliveryCommandContext,
  id: string,
): Promise<E.Either<CliFault | CatalogueFault, RepeatedDelivery>> => {
  const { log, read_model, records } = deliveries;
  const delivery = await log.find(id);
  if (delivery === null)
    return E.left({ tag: 'not_found', what: 'delivery', id, list: 'renderctl webhook deliveries' });
  if (delivery.repeated_by !== null) return E.right({ id: delivery.repeated_by, repeats: id, repeated: true });
  const refusal = repeatRefusal(delivery);
  if (refusal !== null) return E.left(refusal);
  const endpoint = await endpointWithHistory(read_model, delivery.endpoint_id, deliveries.clock.now());
  if (E.isLeft(endpoint)) return endpoint;
  const closed = endpointRefusal(endpoint.right);
  if (closed !== null) return E.left(closed);
  const request = repeatDeliveryRequest(delivery, deliveries);
  const requested = await requestDelivery(records, request, REPEAT);
  return E.isLeft(requested) ? requested : E.right({ id: request.delivery_id, repeats: id });
};
