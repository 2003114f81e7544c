import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import * as t from 'io-ts';
import { readBoundedBody } from '../../platform/http-server/bounded-body.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import { signatureFault } from '../../platform/secrets/webhook-signatures.ts';
import { type ForwardedResponse, forwardDelivery } from './forward.ts';
import type { Certificate } from './local-certificate.ts';

export type ReceivedAttempt = {
  readonly at: number;
  /** Null if the signature is wrong or the body is not a delivery. */
  readonly delivery: Delivery | null;
  readonly status: number;
  /** Why the target did not respond; null if it did. */
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
  readonly port: number;
  readonly target: URL;
  readonly on_received: (heard: ReceivedAttempt) => void;
};

export type Listener = {
  readonly url: string;
  /** Sets the signing secret. Requests that arrive earlier wait for it. */
  readonly expect: (secret: string) => void;
  readonly close: () => Promise<void>;
};

/** This path in the URL of an endpoint shows that `webhook listen` created it. */
export const LISTEN_PATH = '/renderctl-webhook-listen';

const MAX_BODY_BYTES = 1024 * 1024;
/** The relay waits for a response as long as this, and then retries. */
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

const refused = (status: number, fault: string): ForwardedResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(`${fault}\n`),
  fault,
});

/**
 * An HTTPS server that checks the signature of each delivery, forwards the delivery unchanged, and returns the target's
 * response. Rejects if it cannot listen on the port.
 */
export const openListener = async ({ certificate, port, target, on_received }: ListenerOptions): Promise<Listener> => {
  const ending = new AbortController();
  const secret = Promise.withResolvers<string>();

  const answerTo = async (request: IncomingMessage, body: Buffer | null): Promise<ForwardedResponse> => {
    if (body === null) return refused(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
    const known = await rejectOnAbort(ending.signal, secret.promise);
    const fault = signatureFault(body, request.headers, known, Date.now());
    if (fault !== null) return refused(401, fault);
    return await forwardDelivery(target, { headers: request.headers, body }, ending.signal);
  };

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== LISTEN_PATH) {
      response.writeHead(404).end();
      return;
    }
    const at = Date.now();
    const began = performance.now();
    const body = await readBoundedBody(request, MAX_BODY_BYTES);
    const { status, headers, body: answer, fault } = await answerTo(request, body);
    if (ending.signal.aborted) return;
    response.writeHead(status, { ...headers, ...(body === null ? { connection: 'close' } : {}) }).end(answer);
    const delivery = body === null || status === 401 ? null : deliveryIn(body);
    on_received({ at, delivery, status, fault, duration_ms: Math.round(performance.now() - began) });
  };

  const server = createServer(
    { ...certificate, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      // If the connection broke, the relay retries the delivery.
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
