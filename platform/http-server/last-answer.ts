import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const ended = new WeakSet<Duplex>();

/** Further input of the connection is ignored. */
export const endAt = (socket: Duplex): void => void ended.add(socket);

/**
 * Makes this the last answer of its connection. Requests behind it are not handled, though the parser may have read
 * them already: Node would hand them on, and only hold back their answers.
 */
export const endWith = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close');
  endAt(response.req.socket);
};

/** Whether the last answer of a connection was, or is about to be, given. */
export const isEnded = (socket: Duplex): boolean => ended.has(socket);
