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
