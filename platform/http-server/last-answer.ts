import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const ended = new WeakSet<Duplex>();

/** Whatever comes over a connection from now on is not looked at. */
export const endAt = (socket: Duplex): void => void ended.add(socket);

/**
 * Makes this the last answer of its connection. What stands behind the request is never looked at, though the parser may
 * have read it already: Node would hand it on, and only keep its answer back.
 */
export const endWith = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close');
  endAt(response.req.socket);
};

/** Whether the last answer of a connection was, or is about to be, given. */
export const isEnded = (socket: Duplex): boolean => ended.has(socket);
