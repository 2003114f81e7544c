import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import type { OpeningKey, SealingKey } from './key-pair.ts';
import { sealerV1 } from './sealed-v1.ts';
import { openV2, sealV2 } from './sealed-v2.ts';

/** The log and the store may contain a sealed secret. */
export type SealSecret = (endpoint_id: string, secret: string) => Promise<string>;

/** Left: why the secret cannot be opened, for operators. */
export type OpenSecret = (endpoint_id: string, sealed: string) => Promise<E.Either<string, string>>;

/** A deployment from before public keys has only `secrets_key`. */
export type SealingKeys = {
  readonly public_key: SealingKey | undefined;
  readonly secrets_key: string | undefined;
};

export type OpeningKeys = {
  readonly private_keys: readonly OpeningKey[];
  readonly secrets_key: string | undefined;
};

/** Secrets in the cache, because opening takes up to a millisecond, and every delivery attempt needs a secret. */
const MAX_OPENED_KEPT = 10_000;

/** The id of a key pair, or the name of the setting of the first version. */
export const sealingKeyName = (sealed: string): string =>
  sealed.startsWith('v1.') ? 'WEBHOOK_SECRETS_KEY' : (sealed.split('.')[1] ?? '');

export const secretSeal = ({ public_key, secrets_key }: SealingKeys): E.Either<string, SealSecret> => {
  if (public_key !== undefined) return E.right(sealV2(public_key));
  if (secrets_key === undefined)
    return E.left('WEBHOOK_PUBLIC_KEY is not set: it encrypts the secrets of webhook endpoints; see docs/webhooks.md');
  const { seal } = sealerV1(secrets_key);
  return E.right(async (endpoint_id, secret) => seal(endpoint_id, secret));
};

export const secretOpen = ({ private_keys, secrets_key }: OpeningKeys): E.Either<string, OpenSecret> => {
  if (private_keys.length === 0 && secrets_key === undefined)
    return E.left(
      'WEBHOOK_PRIVATE_KEYS is not set: it decrypts the secrets of webhook endpoints; see docs/webhooks.md',
    );
  const v1 = secrets_key === undefined ? null : sealerV1(secrets_key);
  const open = openV2(private_keys);
  const opened = new LRUCache<string, string>({ max: MAX_OPENED_KEPT });
  return E.right(async (endpoint_id, sealed) => {
    if (sealed.startsWith('v1.'))
      return v1?.open(endpoint_id, sealed) ?? E.left('it is sealed with a WEBHOOK_SECRETS_KEY, but none is set');
    const name = `${endpoint_id} ${sealed}`;
    const kept = opened.get(name);
    if (kept !== undefined) return E.right(kept);
    const secret = await open(endpoint_id, sealed);
    if (E.isRight(secret)) opened.set(name, secret.right);
    return secret;
  });
};
