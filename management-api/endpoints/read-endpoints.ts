import * as E from 'fp-ts/lib/Either.js';
import { listEndpointsOfTeam } from '../../catalogue/endpoints.ts';
import { Endpoint, EndpointWithHistory } from '../../schemas/http/management/endpoints.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type EndpointRouteDependencies, endpointInTeam } from './parts.ts';

export const listTeamEndpoints =
  ({ read_model, clock }: EndpointRouteDependencies): TeamHandler =>
  async (_request, { team }) => {
    const endpoints = await listEndpointsOfTeam(read_model, team.id, clock.now());
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
