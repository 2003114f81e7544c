import { createHmac } from 'node:crypto';

/**
 * The value of `X-Webhook-Signature`: `sha256=` and the lowercase hex of the HMAC-SHA256 of the raw body,
 * keyed with the UTF-8 bytes of the whole secret as it was shown.
 */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex')}`;
