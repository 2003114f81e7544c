import { bodySignature, standardSignature } from '../../platform/secrets/webhook-signatures.ts';

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
