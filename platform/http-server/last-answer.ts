import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const ended = new WeakSet<Duplex>();

export const ignoreFurtherInput = (socket: Duplex): void => void ended.add(socket);

/**
 * Closes the connection after this response, and skips later requests that the parser has already read. Node would run
 * them, but never send their answers.
 */
export const closeAfterResponse = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close');
  ignoreFurtherInput(response.req.socket);
};

/** True as soon as the connection's last answer is sent or about to be sent. */
export const isClosing = (socket: Duplex): boolean => ended.has(socket);
