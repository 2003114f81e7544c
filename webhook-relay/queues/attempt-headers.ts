import { createHmac } from 'node:crypto';

/**
 * `X-Webhook-Signature`: `sha256=` and the lowercase hex of the HMAC-SHA256 of the raw body, keyed with the UTF-8 bytes
 * of the whole secret as it was shown.
 */
export const bodySignature = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex')}`;

const PREFIX = 'whsec_';

/**
 * One signature of Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with
 * the bytes that the secret is the base64 of.
 *
 * @param timestamp_s of the attempt, seconds since the epoch
 */
export const standardSignature = (id: string, timestamp_s: number, body: Buffer, secret: string): string => {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp_s}.`).update(body).digest('base64')}`;
};

/** Secrets in plain text: the one of `X-Webhook-Signature`, and those of the Standard Webhooks header. */
export type OpenSecrets = { readonly signature: string; readonly standard: readonly string[] };

/**
 * The headers of one attempt.
 *
 * @param timestamp that of the body, ms since the epoch: the same in every attempt
 * @param now ms since the epoch; the Standard Webhooks timestamp is made of it, in seconds
 */
export const attemptHeaders = (
  id: string,
  timestamp: number,
  body: Buffer,
  secrets: OpenSecrets,
  now: number,
): Readonly<Record<string, string>> => {
  const now_s = Math.floor(now / 1_000);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Webhook-ID': id,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': bodySignature(body, secrets.signature),
    'webhook-id': id,
    'webhook-timestamp': String(now_s),
    'webhook-signature': secrets.standard.map((secret) => standardSignature(id, now_s, body, secret)).join(' '),
  };
};
