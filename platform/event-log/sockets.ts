import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_DELAY_MS = 60_000;

export type Sockets = {
  readonly create: ISocketFactory;
  /** kafkajs leaves some sockets open when it disconnects, and an open socket keeps the process alive. */
  readonly destroyAll: () => void;
};

/** Disables Nagle's algorithm: with it, a small request can wait 40 ms for the broker's delayed acknowledgement. */
export const openSockets = (): Sockets => {
  const open = new Set<Socket>();
  return {
    create: ({ host, port, ssl, onConnect }) => {
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
        : connect({ host, port }, onConnect);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    destroyAll: () => {
      for (const socket of open) socket.destroy();
    },
  };
};
