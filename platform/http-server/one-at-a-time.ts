import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isEnded } from './last-answer.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Calls `handle` now or later, at most once. */
export type Schedule = (request: IncomingMessage, handle: () => void) => void;

type Line = { busy: boolean; readonly waiting: { readonly request: IncomingMessage; readonly handle: () => void }[] };

const schedules = new WeakMap<Server, Schedule>();

const atOnce: Schedule = (_request, handle) => handle();

/** Sets the schedule of this server's requests. Without a schedule they are handled at once. */
export const scheduleRequests = (http: Server, schedule: Schedule): void => void schedules.set(http, schedule);

/**
 * Handles the requests of a connection one at a time. The next one begins when the previous answer is written to the
 * socket. Node emits every parsed request, so one packet of pipelined requests would occupy the event loop. A client
 * that does not read would also have all its answers computed. Calls the listeners that the server has at this moment.
 */
export const handleOneAtATime = (http: Server): void => {
  const lines = new WeakMap<Socket, Line>();

  const next = (socket: Socket, line: Line): void => {
    const first = line.waiting.shift();
    line.busy = first !== undefined && !socket.destroyed && !isEnded(socket);
    if (first !== undefined && line.busy) (schedules.get(http) ?? atOnce)(first.request, first.handle);
  };

  for (const event of ['request', 'checkContinue'] as const) {
    const listeners = http.listeners(event) as Listener[];
    http.removeAllListeners(event);
    http.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const line = lines.get(socket) ?? { busy: false, waiting: [] };
      lines.set(socket, line);
      const handle = (): void => {
        // Other connections come first, so that pipelined requests are not handled in one go.
        response.once('close', () => setImmediate(next, socket, line));
        for (const listener of listeners) listener.call(http, request, response);
      };
      line.waiting.push({ request, handle });
      if (!line.busy) next(socket, line);
    });
  }
};
