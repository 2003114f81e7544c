import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const Payload = t.type({
  id: t.string,
  event: t.string,
  data: t.type({ id: t.string, status: t.string }),
  timestamp: t.number,
});

/** A delivery as it came in. `verified`: the signature fits the raw bytes. */
export type Received = {
  readonly id: string;
  readonly event: string;
  readonly render_id: string;
  readonly status: string;
  readonly received_at: number;
  readonly verified: boolean;
};

export type WebhookReceiver = {
  readonly received: () => readonly Received[];
  readonly close: () => Promise<void>;
};

const BODY_LIMIT_BYTES = 1024 * 1024;

const bodyOf = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size_bytes += bytes.length;
    if (size_bytes > BODY_LIMIT_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

/** As a client of the service would: HMAC-SHA256 over the raw bytes, compared in constant time. */
const isSigned = (body: Buffer, signature: string | undefined, secret: string): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

/** A small endpoint on loopback that checks every delivery, answers at once, and keeps each delivery id once. */
export const openWebhookReceiver = async (port: number, secret: string): Promise<WebhookReceiver> => {
  const received = new Map<string, Received>();
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => null);
    const payload = Payload.decode(body === null ? null : parsed(body));
    if (body === null || E.isLeft(payload)) return response.writeHead(400).end();
    const verified = isSigned(body, headerOf(request, 'x-webhook-signature'), secret);
    const { id, event, data } = payload.right;
    if (!received.has(id)) {
      const { id: render_id, status } = data;
      received.set(id, { id, event, render_id, status, received_at: Date.now(), verified });
    }
    return response.writeHead(verified ? 204 : 401).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    received: () => [...received.values()],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
