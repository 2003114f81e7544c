import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import test from 'ava';
import { pollUntil } from '../../../stack/testing/until.ts';

const Connection = createRequire(import.meta.url)('kafkajs/src/network/connection.js');

const silent = { namespace: () => silent, debug: () => undefined, error: () => undefined, info: () => undefined };

// A patch of kafkajs: such a connection looked connected, and its timer kept the process alive.
test('a connection whose socket closed without an end is not connected', async (t) => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const sockets: Socket[] = [];
  const socketFactory = ({ onConnect }: { readonly onConnect: () => void }): Socket => {
    const socket = connect(port, '127.0.0.1', onConnect);
    sockets.push(socket);
    return socket;
  };
  const times = { requestTimeout: 1_000, connectionTimeout: 10_000 };
  const connection = new Connection({ host: '127.0.0.1', port, logger: silent, socketFactory, ...times });
  await connection.connect();
  t.true(connection.isConnected());
  for (const socket of sockets) socket.destroy();
  t.false(connection.isConnected());
  const { requestTimeoutIntervalId: timer } = connection.requestQueue;
  await pollUntil('its timer ends', async () => !timer.hasRef() || Object(timer)._destroyed === true);
  await connection.connect();
  t.true(connection.isConnected());
  await connection.disconnect();
});
