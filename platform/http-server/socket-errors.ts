import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response, Server } from 'restify';
import type { ErrorCode } from '../../schemas/http/error-codes.ts';
import type { Logger } from '../logging/logger.ts';
import { errorBody } from './api-error.ts';
import { ignoreFurtherInput, isClosing } from './last-answer.ts';

type Traffic = {
  request: Request;
  response: Response;
  waiting: number;
};

/** A client may continue to send for this long after its answer; then the socket is destroyed. */
const LINGER_MS = 1_000;

type SocketFault = { readonly status: number; readonly code: ErrorCode; readonly message: string };

const CLIENT_ERRORS: Readonly<Record<string, SocketFault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large', message: 'the headers are larger than 16 KiB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    ...{ status: 413, code: 'body_too_large' },
    message: 'the chunk extensions of the body are larger than 16 KiB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', message: 'the request took too long to arrive' },
};

const malformed = (message: string): SocketFault => ({ status: 400, code: 'malformed_request', message });

const NO_HTTP = malformed('this is not a valid HTTP request');
const NO_PROXY = malformed('CONNECT is not supported: this server is not a proxy');

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
  { status, code, message }: SocketFault,
  request_id: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  ignoreFurtherInput(socket);
  const body = JSON.stringify(errorBody(code, message));
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\nContent-Type: application/json\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${more.join('')}\r\n${body}`,
  );
};

const write = (socket: Duplex, fault: SocketFault, request_id: string): void => {
  answerSocket(socket, fault, request_id);
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
    const fault = CLIENT_ERRORS[code] ?? NO_HTTP;
    const request_id = traffic === undefined || isAnswered(traffic) ? randomUUID() : traffic.request.getId();
    logger.info({ request_id, status: fault.status, code }, 'request refused on the socket');
    write(socket, fault, request_id);
  });

  server.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const request_id = randomUUID();
    logger.info({ request_id, status: 400, code: 'CONNECT' }, 'request refused on the socket');
    socket.on('error', () => socket.destroy());
    write(socket, NO_PROXY, request_id);
  });
};
