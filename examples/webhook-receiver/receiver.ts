// A webhook receiver in one file, with Node 24 and no libraries:
//
//   WEBHOOK_SECRET=whsec_… TLS_CERT=cert.pem TLS_KEY=key.pem node receiver.ts
//
// PORT is 9443 by default. During a rotation of the endpoint's secret, WEBHOOK_SECRET may contain both secrets, separated
// by a space. Without TLS_CERT and TLS_KEY it uses plain HTTP, behind a proxy that terminates TLS.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** The time of the comparison must not depend on the expected value. */
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
  // During a rotation there are two signatures, one for each secret.
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => one.startsWith('v1,') && isEqual(Buffer.from(one.slice('v1,'.length), 'base64'), expected));
};

/** Whether the service sent these exact bytes. One valid signature would be enough; this example requires both. */
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
  /** The render at the time of the event. When it is complete, `output` has the URLs of the videos. */
  readonly data: { readonly id: string; readonly status: string; readonly output?: Readonly<Record<string, string>> };
  readonly timestamp: number;
};

/**
 * The received deliveries, and the progress of each render. Use your database instead: store a delivery by its id
 * before you respond. Then a crash does not lose it, and a repeat does not process it twice.
 */
const taken = new Map<string, number>();
const reached = new Map<string, number>();
const MAX_KEPT = 100_000;

const keep = (kept: Map<string, number>, id: string, value: number): void => {
  kept.set(id, value);
  const [oldest = id] = kept.keys();
  if (kept.size > MAX_KEPT) kept.delete(oldest);
};

/** False for a repeat: the same delivery may arrive again, with the same id and the same bytes. */
const isNew = ({ id, timestamp }: Delivery): boolean => {
  if (taken.has(id)) return false;
  keep(taken, id, timestamp);
  return true;
};

const STATUSES = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete', 'failed'];

/** The long work, after the response. Statuses only move forward, but a retry may arrive after a later event. */
const work = ({ event, data }: Delivery): void => {
  const rank = STATUSES.indexOf(data.status);
  const isLate = rank < (reached.get(data.id) ?? -1);
  if (!isLate) keep(reached, data.id, rank);
  console.log(`${isLate ? 'late' : 'new'} ${event} ${data.id} ${data.status}`);
};

const MAX_BYTES = 1024 * 1024;

/** The raw bytes; null if there are too many. */
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

/** Returns the status of the response. The work starts immediately and ends later. */
const statusFor = async (request: IncomingMessage, secrets: readonly string[]): Promise<number> => {
  if (request.method !== 'POST') return 405;
  const body = await bodyOf(request);
  if (body === null) return 413;
  // Verify before parsing: the signature is over the raw bytes.
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
  // Longer than the service keeps an idle connection, so that the service closes it and not this server.
  server.keepAliveTimeout = 75_000;
  server.listen(Number(PORT), '127.0.0.1', () =>
    console.log(`listening at ${tls ? 'https' : 'http'}://127.0.0.1:${PORT}`),
  );
};

if (import.meta.main) serve(process.env);
