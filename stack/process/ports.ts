import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

export type FixedPort = { readonly port: number; readonly server: string; readonly variable: string };

const FIRST = 15_000;
const LAST = 31_000;

/**
 * Reserves a port for this process until it ends. False if another process of the project uses it or has reserved it.
 * Seconds may pass before the server binds the port, and another stack may choose a port in that time. The reservation
 * is the UDP port of the same number: the system gives it to one process, and frees it when the process ends.
 */
export const reservePort = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', (fault: NodeJS.ErrnoException) => {
      socket.close();
      if (fault.code === 'EADDRINUSE' || fault.code === 'EACCES') resolve(false);
      else reject(fault);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });

/**
 * A free port on 127.0.0.1, reserved for this process. It is below the ephemeral range, from which an outgoing
 * connection could take it before the server binds it.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await reservePort(port)) && (await portFault(port)) === null) return port;
  }
};

export const portFault = (port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(null)));
  });

export const portMessage = (fixed: FixedPort, fault: string): string =>
  fault === 'EADDRINUSE'
    ? `Port ${fixed.port} (${fixed.server}) is in use by another program. Choose another port with ${fixed.variable}=…`
    : `Port ${fixed.port} (${fixed.server}) cannot be used (${fault}). Choose another port with ${fixed.variable}=…`;

export const decodePort = (
  variable: string,
  text: string | undefined,
  otherwise: number,
): { readonly port: number } | { readonly fault: string } => {
  if (text === undefined || text === '') return { port: otherwise };
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535
    ? { port }
    : { fault: `${variable} must be a port from 1 to 65535, not ${JSON.stringify(text)}` };
};
