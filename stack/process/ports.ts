import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** A fixed port, the server that listens on it, and the variable that changes it. */
export type FixedPort = { readonly port: number; readonly server: string; readonly variable: string };

const FIRST = 15_000;
const LAST = 31_000;

/**
 * Reserves a port for this process until it ends. False if another process of the project uses it or has reserved it.
 * Seconds may pass between the choice of a port and the server's bind, in which another stack may also choose. The
 * reservation is the UDP port of the same number: the system gives it to one process, and frees it however the process
 * ends.
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
 * A free port on 127.0.0.1 that is reserved for this process. It is below the ephemeral range, because an outgoing
 * connection could take a port of that range before the server binds it.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await reservePort(port)) && (await portFault(port)) === null) return port;
  }
};

/** Why a port cannot be listened on (`EADDRINUSE`, `EACCES`, …), or null if it can. */
export const portFault = (port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(null)));
  });

/** The message for an unavailable port: names it and the variable that changes it. */
export const portMessage = (fixed: FixedPort, fault: string): string =>
  fault === 'EADDRINUSE'
    ? `Port ${fixed.port} (${fixed.server}) is taken by another program: choose another one with ${fixed.variable}=…`
    : `Port ${fixed.port} (${fixed.server}) cannot be used (${fault}): choose another one with ${fixed.variable}=…`;

/** Decodes a port from a variable's text, or returns the default. On the left a message that names the variable. */
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
