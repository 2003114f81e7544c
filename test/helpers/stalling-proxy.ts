import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** `requests` go to the server, `answers` to the client. */
export type Direction = 'requests' | 'answers';

/** Forwards every connection to a port of this machine, until `stall`. */
export type StallingProxy = {
  readonly port: number;
  /** From now on each connection forwards this many bytes in that direction and then stays open without traffic. */
  readonly stall: (direction: Direction, after_bytes: number) => void;
  readonly heal: () => void;
  /** The number of connections that have stalled so far. */
  readonly stalled: () => number;
  /**
   * The number of stalled connections that are still open. From now on the proxy drops their data, so that it notices
   * their end.
   */
  readonly stalling: () => number;
  readonly close: () => Promise<void>;
};

export const startStallingProxy = async (to_port: number): Promise<StallingProxy> => {
  let rule: { readonly direction: Direction; readonly after_bytes: number } | null = null;
  const stalled = new Set<Socket>();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to_port, '127.0.0.1');
    clients.add(client);
    const end = (): void => {
      clients.delete(client);
      client.destroy();
      upstream.destroy();
    };
    const pass = (direction: Direction, from: Socket, to: Socket): void => {
      let passed = 0;
      let under = rule;
      from.on('data', (chunk: Buffer) => {
        if (under !== rule) [under, passed] = [rule, 0];
        const left = rule?.direction === direction ? rule.after_bytes - passed : chunk.length;
        passed += chunk.length;
        to.write(chunk.subarray(0, left));
        if (left >= chunk.length) return;
        from.removeAllListeners('data').pause();
        stalled.add(client);
      });
      from.on('error', end).on('close', end);
    };
    pass('requests', client, upstream);
    pass('answers', upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stall: (direction, after_bytes) => {
      rule = { direction, after_bytes };
    },
    heal: () => {
      rule = null;
    },
    stalled: () => stalled.size,
    stalling: () => [...stalled].filter((socket) => !socket.resume().destroyed).length,
    close: async () => {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
