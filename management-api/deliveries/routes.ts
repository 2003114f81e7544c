import type { Route, RouteGuards } from '../access/route-guards.ts';
import type { EndpointRouteDependencies } from '../endpoints/parts.ts';
import { getDelivery, listDeliveries } from './read-deliveries.ts';
import { deliverAgain, deliverAllAgain, testEndpoint } from './request-deliveries.ts';

const ENDPOINT = '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}';
const DELIVERY = '/manage/v1/teams/{team_id}/deliveries/{delivery_id}';

/** Only these guards check who may request deliveries: the fold does not check requests to the relay. */
export const deliveryRoutes = (guards: RouteGuards, parts: EndpointRouteDependencies): readonly Route[] => [
  guards.forTeamAdmin('POST', `${ENDPOINT}/test`, testEndpoint(parts)),
  guards.forTeamMember('GET', `${ENDPOINT}/deliveries`, listDeliveries(parts)),
  guards.forTeamAdmin('POST', `${ENDPOINT}/deliver-again`, deliverAllAgain(parts)),
  guards.forTeamMember('GET', DELIVERY, getDelivery(parts)),
  guards.forTeamAdmin('POST', `${DELIVERY}/again`, deliverAgain(parts)),
];
