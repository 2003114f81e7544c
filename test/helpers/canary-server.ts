import { createServer } from 'node:net';

/** A server on this machine that must get no connection, with the number of connections that it got. */
export type CanaryServer = { readonly port: number; readonly connections: () => number; readonly close: () => void };

export const openCanaryServer = async (): Promise<CanaryServer> => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return { port: address.port, connections: () => connections, close: () => server.close() };
};
