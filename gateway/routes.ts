import type { Server } from 'restify';
import { pattern } from '../platform/http-server/route.ts';
import { type ApiName, needsKey, routesOf } from '../schemas/http/routes.ts';
import type { Forward } from './forward.ts';

/** Forwards each route of the table to the API that answers it. The gateway itself answers all others. */
export const addGatewayRoutes = (server: Server, forwards: Readonly<Record<ApiName, Forward>>): void => {
  for (const api of ['command-api', 'query-api'] as const) {
    for (const { method, path } of routesOf(api)) {
      const forward = forwards[api](needsKey(path));
      if (method === 'POST') server.post(pattern(path), forward);
      else {
        server.get(pattern(path), forward);
        server.head(pattern(path), forward);
      }
    }
  }
};
