import * as E from 'fp-ts/lib/Either.js';
import { testDeliveryRequest } from '../../catalogue/delivery-requests.ts';
import { endpointWithHistory } from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { CliFault } from '../fault.ts';
import type { DeliveryCommandContext } from './deliveries.ts';
import { requestDelivery } from './delivery-request.ts';
import { endpointRefusal } from './repeatable.ts';

const REPEAT = 'you can repeat the command; the endpoint then gets at most two test deliveries';

/**
 * Requests a test delivery about a render that does not exist.
 *
 * @param event null selects the first event of the endpoint
 * @returns the delivery's id; on the left `not_found`, `refused`, or that the request was not appended
 */
export const testDelivery = async (
  deliveries: DeliveryCommandContext,
  endpoint_id: string,
  event: EventKind | null,
): Promise<E.Either<CliFault | CatalogueFault, string>> => {
  const { read_model, records } = deliveries;
  const endpoint = await endpointWithHistory(read_model, endpoint_id, deliveries.clock.now());
  if (E.isLeft(endpoint)) return endpoint;
  const closed = endpointRefusal(endpoint.right);
  if (closed !== null) return E.left(closed);
  const request = testDeliveryRequest(endpoint.right, event, deliveries);
  const requested = await requestDelivery(records, request, REPEAT);
  return E.isLeft(requested) ? requested : E.right(request.delivery_id);
};
