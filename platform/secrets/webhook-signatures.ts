import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** `X-Webhook-Signature`. The key is the UTF-8 bytes of the whole secret as it was shown. */
export const bodySignature = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', createSecretKey(secret, 'utf8')).update(body).digest('hex')}`;

const PREFIX = 'whsec_';

/** One signature of Standard Webhooks. The key is the base64-decoded secret. */
export const standardSignature = (id: string, timestamp_s: number, body: Buffer, secret: string): string => {
  const key = createSecretKey(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp_s}.`).update(body).digest('base64')}`;
};

const isEqual = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};

const MAX_AGE_S = 5 * 60;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Null if both signatures match. Otherwise a fault for a person.
 * @param headers by their names in lower case
 * @param now ms since the epoch
 */
export const signatureFault = (body: Buffer, headers: Headers, secret: string, now: number): string | null => {
  const header = (name: string): string => String(headers[name] ?? '');
  if (!isEqual(header('x-webhook-signature'), bodySignature(body, secret)))
    return 'X-Webhook-Signature does not match the body';
  const timestamp_s = Number(header('webhook-timestamp'));
  if (!(Math.abs(now / 1_000 - timestamp_s) <= MAX_AGE_S))
    return 'webhook-timestamp differs from the current time by more than five minutes';
  const expected = standardSignature(header('webhook-id'), timestamp_s, body, secret);
  const fits = header('webhook-signature')
    .split(' ')
    .some((one) => isEqual(one, expected));
  return fits ? null : 'webhook-signature does not match the body, the id and the timestamp';
};
