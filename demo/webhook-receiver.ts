import { once } from 'node:events';
import { createServer } from 'node:https';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isGenuine } from '../examples/webhook-receiver/receiver.ts';
import { readBoundedBody } from '../platform/http-server/bounded-body.ts';
import { freePort } from '../stack/process/ports.ts';
import type { Certificate } from '../stack/tls/certificate.ts';

const Payload = t.type({
  id: t.string,
  event: t.string,
  data: t.type({ id: t.string, status: t.string }),
  timestamp: t.number,
});

/** `verified`: both signatures match the raw bytes. */
export type Received = {
  readonly id: string;
  readonly event: string;
  readonly render_id: string;
  readonly status: string;
  readonly received_at: number;
  readonly verified: boolean;
};

export type WebhookReceiver = {
  /** `https://127.0.0.1:<port>` */
  readonly origin: string;
  /** Sets the signing secret. Earlier deliveries get 401. */
  readonly expect: (secret: string) => void;
  readonly received: () => readonly Received[];
  readonly close: () => Promise<void>;
};

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Longer than the relay keeps an idle connection. */
const KEEP_ALIVE_MS = 75_000;

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

/**
 * An HTTPS server on this machine that checks every delivery, responds immediately, and keeps each delivery id once.
 */
export const openWebhookReceiver = async (certificate: Certificate): Promise<WebhookReceiver> => {
  const received = new Map<string, Received>();
  const secrets: string[] = [];
  const port = await freePort();
  const server = createServer({ ...certificate }, async (request, response) => {
    const body = await readBoundedBody(request, BODY_LIMIT_BYTES).catch(() => null);
    const payload = Payload.decode(body === null ? null : parsed(body));
    if (body === null || E.isLeft(payload)) return response.writeHead(400).end();
    const verified = isGenuine(body, request.headers, secrets, Date.now() / 1_000);
    const { id, event, data } = payload.right;
    if (!received.has(id)) {
      const { id: render_id, status } = data;
      received.set(id, { id, event, render_id, status, received_at: Date.now(), verified });
    }
    return response.writeHead(verified ? 204 : 401).end();
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${port}`,
    expect: (secret) => {
      secrets.push(secret);
    },
    received: () => [...received.values()],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
