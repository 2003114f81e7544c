import * as E from 'fp-ts/lib/Either.js';
import { listEndpointsOfTeam } from '../../catalogue/endpoints.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import {
  Endpoint,
  EndpointListQuery,
  EndpointWithHistory,
  MAX_DELETED_ENDPOINTS,
} from '../../schemas/http/management/endpoints.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type EndpointRouteDependencies, endpointInTeam } from './parts.ts';

export const listTeamEndpoints =
  ({ read_model, clock }: EndpointRouteDependencies): TeamHandler =>
  async ({ query }, { team }) => {
    const request = EndpointListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const max_deleted = request.right.state === 'all' ? MAX_DELETED_ENDPOINTS : 0;
    const endpoints = await listEndpointsOfTeam(read_model, team.id, max_deleted, clock.now());
    const failing = await read_model.failingOf(endpoints.map(({ id }) => id));
    const data = endpoints.map((endpoint) =>
      Endpoint.encode({ ...endpoint, failing: failing.get(endpoint.id) ?? null }),
    );
    return E.right({ status: 200, body: { data } });
  };

export const getEndpoint =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async ({ params }, at) => {
    const found = await endpointInTeam(parts, at, params.endpoint_id ?? '');
    if (E.isLeft(found)) return found;
    return E.right({ status: 200, body: EndpointWithHistory.encode(found.right) });
  };
