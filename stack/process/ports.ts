import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** A port that is fixed: who listens on it and the variable that moves it. */
export type FixedPort = { readonly port: number; readonly server: string; readonly variable: string };

const FIRST = 15_000;
const LAST = 31_000;

/**
 * Reserves a port for this process until it ends: false when another process of the project has it, or has just chosen
 * it. Between the choice of a port and the moment when a server binds it seconds may pass, in which a stack that starts
 * beside this one may choose too. The reservation is the UDP port of the same number, which the system gives once, and
 * takes back however a process ends.
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
 * A free port on 127.0.0.1 that is reserved for this process, below the range from which the system takes ports for
 * outgoing connections: one from that range may be taken between here and the moment when a server binds it.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await reservePort(port)) && (await portFault(port)) === null) return port;
  }
};

/** Why a port cannot be listened on (`EADDRINUSE`, `EACCES`, …), or null when it can. */
export const portFault = (port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(null)));
  });

/** The one line for a port that cannot be had: names it and the variable that changes it. */
export const portMessage = (fixed: FixedPort, fault: string): string =>
  fault === 'EADDRINUSE'
    ? `Port ${fixed.port} (${fixed.server}) is taken by another program: choose another one with ${fixed.variable}=…`
    : `Port ${fixed.port} (${fixed.server}) cannot be used (${fault}): choose another one with ${fixed.variable}=…`;

/** A port from a variable's text, or the default; a message that names the variable for anything else. */
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
