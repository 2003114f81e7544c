import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from '../tls/certificate.ts';

export type Received = {
  /** Includes the query. */
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as received. */
  readonly raw_headers: readonly string[];
  readonly body: Buffer;
  readonly began_at: number;
  readonly at: number;
  /** Number of the TLS connection, from 1. */
  readonly connection: number;
};

export type ReceiverAnswer =
  | {
      readonly tag: 'answer';
      /** 200 by default. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
      readonly delay_ms?: number;
    }
  /** Never responds. */
  | { readonly tag: 'hang' }
  /** Sends the head immediately, then a byte of the body at each interval, without end. */
  | { readonly tag: 'drip'; readonly status?: number; readonly every_ms: number }
  /** Resets the connection. */
  | { readonly tag: 'reset' }
  /** A body of this size, as fast as the client reads it. */
  | { readonly tag: 'big'; readonly status?: number; readonly size_bytes: number };

/** One answer for all requests, or a function. `nth` counts the requests of a path from 1. */
export type ReceiverBehavior = ReceiverAnswer | ((received: Received, nth: number) => ReceiverAnswer);

export type ReceiverOptions = {
  /** For localhost; the sender must trust its authority. */
  readonly certificate: Certificate;
  readonly port?: number;
  /** For paths without their own answer; 200 by default. */
  readonly answer?: ReceiverBehavior;
};

/** Lets a stack fetch media from this port of this machine, and from no other local port. */
export const mediaFrom = (port: number): Readonly<Record<string, string>> => ({
  MEDIA_ALLOWED_RANGES: 'loopback',
  MEDIA_ALLOWED_PORTS: String(port),
});

export type HttpsReceiver = {
  readonly origin: string;
  readonly port: number;
  /** In the order in which they were complete. */
  readonly received: () => readonly Received[];
  readonly receivedAt: (path: string) => readonly Received[];
  readonly answer: (path: string, answering: ReceiverBehavior) => void;
  /** Accepted connections, with or without a request, including failed TLS handshakes. */
  readonly connections: () => number;
  readonly under_way: () => number;
  /** The maximum number of concurrent requests so far. */
  readonly most_under_way: () => number;
  /** Refuses new connections and closes open ones. */
  readonly down: () => Promise<void>;
  /** Listens again, on the same port. */
  readonly up: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const OK: ReceiverAnswer = { tag: 'answer' };
const PIECE = Buffer.alloc(64 * 1024, 'x');

function* pieces(size_bytes: number): Iterable<Buffer> {
  for (let left = size_bytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left);
}

const give = (request: IncomingMessage, response: ServerResponse, answer: ReceiverAnswer): void => {
  switch (answer.tag) {
    case 'answer': {
      const send = () => {
        response.writeHead(answer.status ?? 200, answer.headers ?? {});
        response.end(answer.body);
      };
      const timer = setTimeout(send, answer.delay_ms ?? 0);
      response.once('close', () => clearTimeout(timer));
      return;
    }
    case 'hang':
      return;
    case 'drip': {
      response.writeHead(answer.status ?? 200);
      response.flushHeaders();
      const timer = setInterval(() => response.write('.'), answer.every_ms);
      response.once('close', () => clearInterval(timer));
      return;
    }
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'big':
      response.writeHead(answer.status ?? 200);
      // The client may close the connection early.
      pipeline(pieces(answer.size_bytes), response).catch(() => undefined);
      return;
  }
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
};

export const startHttpsReceiver = async (options: ReceiverOptions): Promise<HttpsReceiver> => {
  const received: Received[] = [];
  const of_path = new Map<string, Received[]>();
  const answers = new Map<string, ReceiverBehavior>();
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  let under_way = 0;
  let most_under_way = 0;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const began_at = Date.now();
    under_way += 1;
    most_under_way = Math.max(most_under_way, under_way);
    response.once('close', () => {
      under_way -= 1;
    });
    const { url: path = '/', method = '', headers, rawHeaders: raw_headers } = request;
    const body = await bodyOf(request);
    const connection = numbers.get(request.socket) ?? 0;
    const one: Received = { path, method, headers, raw_headers, body, began_at, at: Date.now(), connection };
    received.push(one);
    const before = of_path.get(path) ?? [];
    of_path.set(path, before);
    before.push(one);
    const answering = answers.get(path) ?? options.answer ?? OK;
    give(request, response, typeof answering === 'function' ? answering(one, before.length) : answering);
  };

  const server = createServer({ ...options.certificate, keepAliveTimeout: 0 }, (request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  let secured = 0;
  server.on('secureConnection', (socket: TLSSocket) => {
    secured += 1;
    numbers.set(socket, secured);
    // Some tests reset a connection during a write.
    socket.on('error', () => undefined);
  });

  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  await listen(options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://localhost:${port}`,
    port,
    received: () => received,
    receivedAt: (path) => of_path.get(path) ?? [],
    answer: (path, answering) => {
      answers.set(path, answering);
    },
    connections: () => connections,
    under_way: () => under_way,
    most_under_way: () => most_under_way,
    down,
    up: () => listen(port),
    close: down,
  };
};
