import type { Doors, Route } from '../access/doors.ts';
import type { EndpointParts } from '../endpoints/parts.ts';
import { getDelivery, listDeliveries } from './read-deliveries.ts';
import { deliverAgain, deliverAllAgain, testEndpoint } from './request-deliveries.ts';

const ENDPOINT = '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}';
const DELIVERY = '/manage/v1/teams/{team_id}/deliveries/{delivery_id}';

/** The fold has no say in what is asked of the relay: the doors alone have. */
export const deliveryRoutes = (doors: Doors, parts: EndpointParts): readonly Route[] => [
  doors.forTeamAdmin('POST', `${ENDPOINT}/test`, testEndpoint(parts)),
  doors.forTeamMember('GET', `${ENDPOINT}/deliveries`, listDeliveries(parts)),
  doors.forTeamAdmin('POST', `${ENDPOINT}/deliver-again`, deliverAllAgain(parts)),
  doors.forTeamMember('GET', DELIVERY, getDelivery(parts)),
  doors.forTeamAdmin('POST', `${DELIVERY}/again`, deliverAgain(parts)),
];
