import * as E from 'fp-ts/lib/Either.js';
import { deliveryView } from '../../catalogue/delivery-answers.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { type DeliveryWithoutBody, deliveryPosition } from '../../read-models/deliveries/delivery-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { type List, pageBody } from '../../read-models/page.ts';
import { DeliveryListQuery } from '../../schemas/http/management/deliveries.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import { isPossibleId, type TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type EndpointRouteDependencies, endpointInTeam } from '../endpoints/parts.ts';
import { listedDelivery, loggedDelivery } from './shown-delivery.ts';

export const listDeliveries =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async ({ params, query }, at) => {
    const { deliveries, readPage, tells_answers } = parts;
    const request = DeliveryListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const endpoint = await endpointInTeam(parts, at, params.endpoint_id ?? '');
    if (E.isLeft(endpoint)) return endpoint;
    const { state, event, since } = request.right;
    const list: List<DeliveryWithoutBody> = {
      ...{ endpoint: 'team_deliveries', scope: endpoint.right.id, status: JSON.stringify([state, event, since]) },
      areSearchable: async () => true,
      read: async (from, limit) => {
        const wanted = { state, event, since, before: from?.position ?? null, limit };
        const found = await deliveries.ofEndpoint(endpoint.right.id, wanted);
        return found.map((element) => ({ element, tier: 0, position: deliveryPosition(element) }));
      },
    };
    const page = await readPage(list, withNewestFirstOrder(request.right));
    if (E.isLeft(page)) return page;
    const data = page.right.elements.map((one) => listedDelivery(deliveryView(one), tells_answers));
    return E.right({ status: 200, body: pageBody(data, page.right) });
  };

const NO_DELIVERY: ApiError = { tag: 'not_found', param: 'delivery_id', message: 'there is no such delivery' };

/** Deliveries of other teams are answered as missing. */
export const deliveryInTeam = async (
  { deliveries }: Pick<EndpointRouteDependencies, 'deliveries'>,
  { team }: TeamAccess,
  delivery_id: string,
): Promise<E.Either<ApiError, WebhookDeliveryDocument>> => {
  const found = isPossibleId(delivery_id) ? await deliveries.find(delivery_id) : null;
  return found !== null && found.team_id === team.id ? E.right(found) : E.left(NO_DELIVERY);
};

export const getDelivery =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async ({ params }, at) => {
    const found = await deliveryInTeam(parts, at, params.delivery_id ?? '');
    if (E.isLeft(found)) return found;
    const { endpoint_id, body, body_sha256, timestamp } = found.right;
    const endpoint = await parts.read_model.find('webhook_endpoint', endpoint_id);
    const request = { endpoint_url: endpoint?.url ?? null, body, body_sha256, timestamp };
    return E.right({ status: 200, body: loggedDelivery(deliveryView(found.right), request, parts.tells_answers) });
  };
