import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { ignoreFurtherInput, isClosing } from './last-answer.ts';

type Traffic = {
  request: Request;
  response: Response;
  waiting: number;
};

/** A client may continue to send for this long after its answer; then the socket is destroyed. */
const LINGER_MS = 1_000;

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions of the body are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : 'none');

/** True if all requests of the connection are answered, so that another write cannot mix with an answer. */
const isAnswered = ({ response, waiting }: Traffic): boolean =>
  waiting === 0 || (waiting === 1 && response.writableEnded);

/** Whether the client would take a further write for the answer to its current input. */
const isAnswerable = (traffic: Traffic | undefined): boolean => {
  if (traffic === undefined) return true;
  const { request, response, waiting } = traffic;
  return isAnswered(traffic) ? request.complete : waiting === 1 && !request.complete && !response.headersSent;
};

export const answerSocket = (
  socket: Duplex,
  status: number,
  request_id: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  ignoreFurtherInput(socket);
  const body = JSON.stringify({ error: message });
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${more.join('')}\r\n${body}`,
  );
};

const write = (socket: Duplex, status: number, request_id: string, message: string): void => {
  answerSocket(socket, status, request_id, message);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

/** Answers input that is not HTTP, too large or too slow on the bare socket, because no request exists for it. */
export const answerSocketErrors = (server: Server, logger: Logger): void => {
  const connections = new WeakMap<Socket, Traffic>();
  const closing = new WeakSet<Socket>();

  // Requests count as soon as they are parsed, which is before they are handled.
  const count = (request: Request, response: Response): void => {
    const { socket } = request;
    if (isClosing(socket)) return;
    const before = connections.get(socket);
    const traffic = before ?? { request, response, waiting: 0 };
    if (before === undefined) connections.set(socket, traffic);
    Object.assign(traffic, { request, response, waiting: traffic.waiting + 1 });
    response.once('close', () => {
      traffic.waiting -= 1;
    });
  };
  for (const event of ['request', 'checkContinue']) server.server.prependListener(event, count);

  server.on('clientError', (error: Error, socket: Socket) => {
    // The connection has had its last answer, which may still be in flight. So this error gets no answer.
    if (isClosing(socket)) {
      // Closes only once, because further input of the client may cause many errors.
      if (!closing.has(socket)) socket.destroySoon();
      closing.add(socket);
      return;
    }
    const code = codeOf(error);
    // The client sent data after a request with `Connection: close`. The answer to that request ends the connection.
    if (code === 'HPE_CLOSED_CONNECTION') return;
    const traffic = connections.get(socket);
    if (!socket.writable || !isAnswerable(traffic)) {
      socket.destroy();
      return;
    }
    const [status, message] = CLIENT_ERRORS[code] ?? [400, 'this is not a valid HTTP request'];
    const request_id = traffic === undefined || isAnswered(traffic) ? randomUUID() : traffic.request.getId();
    logger.info({ request_id, status, code }, 'request refused on the socket');
    write(socket, status, request_id, message);
  });

  server.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const request_id = randomUUID();
    logger.info({ request_id, status: 400, code: 'CONNECT' }, 'request refused on the socket');
    socket.on('error', () => socket.destroy());
    write(socket, 400, request_id, 'CONNECT is not supported: this server is not a proxy');
  });
};
