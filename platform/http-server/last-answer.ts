import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const ended = new WeakSet<Duplex>();

/** Ignores further input of the connection. */
export const endAt = (socket: Duplex): void => void ended.add(socket);

/**
 * Makes this the last answer of its connection. Later requests that the parser has already read are not handled. Node
 * would otherwise run them and only hold back their answers.
 */
export const endWith = (response: ServerResponse): void => {
  response.setHeader('Connection', 'close');
  endAt(response.req.socket);
};

/** Whether the last answer of a connection is sent or about to be sent. */
export const isEnded = (socket: Duplex): boolean => ended.has(socket);
