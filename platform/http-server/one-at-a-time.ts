import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isClosing } from './last-answer.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Calls `handle` now or later, at most once. */
export type ScheduleRequest = (request: IncomingMessage, handle: () => void) => void;

type Line = { busy: boolean; readonly waiting: { readonly request: IncomingMessage; readonly handle: () => void }[] };

const schedules = new WeakMap<Server, ScheduleRequest>();

const atOnce: ScheduleRequest = (_request, handle) => handle();

/** Without a schedule, requests are handled at once. */
export const scheduleRequests = (http: Server, schedule: ScheduleRequest): void => void schedules.set(http, schedule);

/**
 * The next request of a connection begins when the previous answer is written to the socket. Node emits every parsed
 * request, so pipelined requests would occupy the event loop, even if their client reads no answers. Calls the
 * listeners that the server has at this moment.
 */
export const handleOneAtATime = (http: Server): void => {
  const lines = new WeakMap<Socket, Line>();

  const next = (socket: Socket, line: Line): void => {
    const first = line.waiting.shift();
    line.busy = first !== undefined && !socket.destroyed && !isClosing(socket);
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
        // Other connections come first, so that one connection's pipelined requests do not block them.
        response.once('close', () => setImmediate(next, socket, line));
        for (const listener of listeners) listener.call(http, request, response);
      };
      line.waiting.push({ request, handle });
      if (!line.busy) next(socket, line);
    });
  }
};
