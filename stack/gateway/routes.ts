import type { Server } from 'restify';
import type { Forwarder } from './forward.ts';

const PATH = '/v1/*';

/** What writes goes to the command API, what reads to the query API, whichever paths they have. */
export const addGatewayRoutes = (server: Server, commands: Forwarder, queries: Forwarder): void => {
  server.post(PATH, commands.forward);
  server.put(PATH, commands.forward);
  server.patch(PATH, commands.forward);
  server.del(PATH, commands.forward);
  server.get(PATH, queries.forward);
  server.head(PATH, queries.forward);
  server.opts(PATH, queries.forward);
};
