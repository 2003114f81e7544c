import { createServer } from 'node:net';
import getPort from 'get-port';

/** A port that is fixed: who listens on it and the variable that moves it. */
export type FixedPort = { readonly port: number; readonly server: string; readonly variable: string };

const FIRST = 15_000;
const LAST = 31_000;
const TRIES = 64;

/**
 * A free port on 127.0.0.1 below the range from which the system takes ports for outgoing connections: one from that
 * range may be taken between here and the moment when a server binds it.
 */
export const freePort = (): Promise<number> =>
  getPort({
    host: '127.0.0.1',
    port: Array.from({ length: TRIES }, () => FIRST + Math.floor(Math.random() * (LAST - FIRST))),
  });

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
