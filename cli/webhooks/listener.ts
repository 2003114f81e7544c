import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import * as t from 'io-ts';
import { boundedBody } from '../../platform/http-server/bounded-body.ts';
import { abortable } from '../../platform/process/abortable.ts';
import { signatureFault } from '../../platform/secrets/webhook-signatures.ts';
import { type Forwarded, forward } from './forward.ts';
import type { Certificate } from './local-certificate.ts';

/** One incoming attempt at a delivery, and its answer. */
export type Heard = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Null if the request is not from the relay. */
  readonly delivery: Delivery | null;
  readonly status: number;
  /** Why the target did not answer; null if it did. */
  readonly fault: string | null;
  readonly duration_ms: number;
};

const Delivery = t.type({
  id: t.string,
  event: t.string,
  data: t.type({ id: t.string, status: t.string }),
});
type Delivery = t.TypeOf<typeof Delivery>;

export type ListenerOptions = {
  readonly certificate: Certificate;
  /** 0 for any free one. */
  readonly port: number;
  readonly target: URL;
  readonly on_heard: (heard: Heard) => void;
};

export type Listener = {
  /** The URL for deliveries. */
  readonly url: string;
  /** Sets the signing secret. Earlier requests wait for it. */
  readonly expect: (secret: string) => void;
  /** Cuts off running requests. */
  readonly close: () => Promise<void>;
};

/** The path identifies endpoints of `webhook listen`. */
export const LISTEN_PATH = '/renderctl-webhook-listen';

const MAX_BODY_BYTES = 1024 * 1024;
/** The relay has the same timeout, and then makes another attempt. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than the relay keeps an idle connection. */
const KEEP_ALIVE_MS = 75_000;
const MAX_CONNECTIONS = 100;

const deliveryIn = (body: Buffer): Delivery | null => {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return Delivery.is(json) ? json : null;
  } catch {
    return null;
  }
};

const refused = (status: number, fault: string): Forwarded => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(`${fault}\n`),
  fault,
});

/**
 * An HTTPS server on this machine that checks the signatures of each delivery, forwards it unchanged to the target, and
 * returns the target's answer. Rejects if it cannot listen on the port.
 */
export const openListener = async ({ certificate, port, target, on_heard }: ListenerOptions): Promise<Listener> => {
  const ending = new AbortController();
  const secret = Promise.withResolvers<string>();

  const answerTo = async (request: IncomingMessage, body: Buffer | null): Promise<Forwarded> => {
    if (body === null) return refused(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
    const known = await abortable(ending.signal, secret.promise);
    const fault = signatureFault(body, request.headers, known, Date.now());
    if (fault !== null) return refused(401, fault);
    return await forward(target, { headers: request.headers, body }, ending.signal);
  };

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== LISTEN_PATH) {
      response.writeHead(404).end();
      return;
    }
    const at = Date.now();
    const began = performance.now();
    const body = await boundedBody(request, MAX_BODY_BYTES);
    const { status, headers, body: answer, fault } = await answerTo(request, body);
    if (ending.signal.aborted) return;
    response.writeHead(status, { ...headers, ...(body === null ? { connection: 'close' } : {}) }).end(answer);
    const delivery = body === null || status === 401 ? null : deliveryIn(body);
    on_heard({ at, delivery, status, fault, duration_ms: Math.round(performance.now() - began) });
  };

  const server = createServer(
    { ...certificate, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      // The request was cut off, and the relay makes another attempt.
      take(request, response).catch(() => response.destroy());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `https://127.0.0.1:${listening}${LISTEN_PATH}`,
    expect: secret.resolve,
    close: async () => {
      ending.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
