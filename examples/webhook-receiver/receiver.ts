// A receiver of webhooks in one file, with Node 24 and nothing else:
//
//   WEBHOOK_SECRET=whsec_… TLS_CERT=cert.pem TLS_KEY=key.pem node receiver.ts
//
// PORT is 9443 if it is not set. WEBHOOK_SECRET may hold two secrets with a space between them, while the secret of the
// endpoint is being rotated. Without TLS_CERT and TLS_KEY it speaks plain HTTP, for a proxy in front of it that ends TLS.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** In constant time: how long it takes says nothing of what was expected. */
const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/** `X-Webhook-Signature`: over the exact bytes of the body, keyed with the whole text of the secret. */
const isSigned = (body: Buffer, headers: IncomingHttpHeaders, secret: string): boolean => {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return isEqual(Buffer.from(String(headers['x-webhook-signature'])), Buffer.from(expected));
};

/** An older or newer signature may be a replayed request. */
const MAX_AGE_S = 5 * 60;

/** Standard Webhooks: over the id, the time of this attempt and the body, keyed with the bytes in the secret. */
const isSignedByStandard = (body: Buffer, headers: IncomingHttpHeaders, secret: string, now_s: number): boolean => {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!(Math.abs(now_s - Number(timestamp)) <= MAX_AGE_S)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // During a rotation there are two, one for each secret.
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => one.startsWith('v1,') && isEqual(Buffer.from(one.slice('v1,'.length), 'base64'), expected));
};

/** Whether it comes from the service and is as it was sent. Each signature is enough by itself; here both must fit. */
export const isGenuine = (
  body: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
  now_s: number,
): boolean =>
  secrets.some((secret) => isSigned(body, headers, secret)) &&
  secrets.some((secret) => isSignedByStandard(body, headers, secret, now_s));

type Delivery = {
  readonly id: string;
  readonly event: string;
  /** The render as it was then; `output` has the addresses of the videos once it is complete. */
  readonly data: { readonly id: string; readonly status: string; readonly output?: Readonly<Record<string, string>> };
  readonly timestamp: number;
};

/**
 * What was taken, and how far each render is. Yours belong in your database: a delivery is stored before it is answered,
 * by its id, so that neither a crash loses it nor a repeat does it twice.
 */
const taken = new Map<string, number>();
const reached = new Map<string, number>();
const MAX_KEPT = 100_000;

const keep = (kept: Map<string, number>, id: string, value: number): void => {
  kept.set(id, value);
  const [oldest = id] = kept.keys();
  if (kept.size > MAX_KEPT) kept.delete(oldest);
};

/** Whether it is the first time: the same delivery may come again, with the same id and the same bytes. */
const isNew = ({ id, timestamp }: Delivery): boolean => {
  if (taken.has(id)) return false;
  keep(taken, id, timestamp);
  return true;
};

const STATUSES = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete', 'failed'];

/** The long work, after the answer. A render never goes back; but a retry may come after what followed it. */
const work = ({ event, data }: Delivery): void => {
  const rank = STATUSES.indexOf(data.status);
  const isLate = rank < (reached.get(data.id) ?? -1);
  if (!isLate) keep(reached, data.id, rank);
  console.log(`${isLate ? 'late' : 'new'} ${event} ${data.id} ${data.status}`);
};

const MAX_BYTES = 1024 * 1024;

/** The raw bytes, or null if they are too many. */
const bodyOf = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of request) {
    size_bytes += chunk.length;
    if (size_bytes > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** What a request is answered; what it asks for is begun at once and ends later. */
const statusFor = async (request: IncomingMessage, secrets: readonly string[]): Promise<number> => {
  if (request.method !== 'POST') return 405;
  const body = await bodyOf(request);
  if (body === null) return 413;
  // Before it is parsed: parsed and written again it would be other bytes.
  if (!isGenuine(body, request.headers, secrets, Date.now() / 1_000)) return 401;
  const delivery: Delivery = JSON.parse(body.toString('utf8'));
  if (isNew(delivery)) setImmediate(work, delivery);
  else console.log(`again ${delivery.event} ${delivery.data.id} ${delivery.data.status}`);
  return 204;
};

const serve = ({ WEBHOOK_SECRET = '', PORT = '9443', TLS_CERT, TLS_KEY }: NodeJS.ProcessEnv): void => {
  const secrets = WEBHOOK_SECRET.split(/\s+/).filter((secret) => secret.startsWith('whsec_'));
  if (secrets.length === 0) throw new Error('WEBHOOK_SECRET must hold the secret of the endpoint: whsec_…');
  const take: RequestListener = async (request, response) => {
    const status = await statusFor(request, secrets).catch(() => 400);
    response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end();
  };
  const tls = TLS_CERT !== undefined && TLS_KEY !== undefined;
  const server = tls
    ? createTlsServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, take)
    : createServer(take);
  // Longer than the service keeps a connection that it does not use: the one that opened it should be the one to close it.
  server.keepAliveTimeout = 75_000;
  server.listen(Number(PORT), '127.0.0.1', () =>
    console.log(`listening at ${tls ? 'https' : 'http'}://127.0.0.1:${PORT}`),
  );
};

if (import.meta.main) serve(process.env);
