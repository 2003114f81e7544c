import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

export const upstream = async (t: ExecutionContext, listener: RequestListener) => {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, env: { COMMAND_API_URL: url, QUERY_API_URL: url } };
};

export type RawClient = {
  readonly socket: Socket;
  readonly text: () => string;
  readonly over: Promise<unknown>;
};

export const rawClient = async (
  t: ExecutionContext,
  url: string,
  bytes: string,
  from = '127.0.0.1',
): Promise<RawClient> => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const over = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'connect'), over]);
  socket.write(bytes, 'latin1');
  return { socket, text: () => Buffer.concat(chunks).toString('latin1'), over };
};

/** A complete request that keeps its connection. */
export const line = (method: string, path: string, ...lines: readonly string[]): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;
