import { createHmac, createSecretKey } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { SEALED_SINCE } from '../../domain/render/fold.ts';
import { keyedRenderId } from '../../domain/render/render-id.ts';

const MAX_LEVELS = 64;

export type KeyedRequest = {
  /** Follows from the account and the Idempotency-Key. */
  readonly render_id: string;
  /**
   * Shows whether a request with the same key is a repeat or another request. Since version 4 it depends on the render
   * id, so equal bodies have different hashes in the log.
   *
   * @param fold_version of the `RenderRequested` that has the hash
   */
  readonly hashFor: (fold_version: number) => string;
};

/**
 * The fault of a body that cannot be hashed: it has an infinity (a number such as 1e999) or is nested too deep. This is
 * a loop and not a recursion, because the client chooses the depth.
 */
export const canonicalFault = (body: unknown): string | null => {
  const waiting: { readonly value: unknown; readonly level: number }[] = [{ value: body, level: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, level } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return 'the body holds a number that is too large';
    if (typeof value !== 'object' || value === null) continue;
    if (level > MAX_LEVELS) return `the body is nested more than ${MAX_LEVELS} levels deep`;
    for (const member of Object.values(value)) waiting.push({ value: member, level: level + 1 });
  }
  return null;
};

/**
 * The same secret serves for ids and both kinds of hashes, because their inputs differ. JSON has no NUL, the input of a
 * bound hash begins with one, and the input of an id has one later.
 *
 * @param secret must never change
 */
export const keyedRequests = (secret: string) => {
  const hmac_key = createSecretKey(secret, 'utf8');
  const hmac = (text: string): Buffer => createHmac('sha256', hmac_key).update(text, 'utf8').digest();
  return (account_id: string, key: string, body: unknown): E.Either<string, KeyedRequest> => {
    const fault = canonicalFault(body);
    if (fault !== null) return E.left(fault);
    const render_id = keyedRenderId(hmac(`${account_id}\0${key}`));
    const json = canonicalJson(body);
    return E.right({
      render_id,
      hashFor: (fold_version) => hmac(fold_version < SEALED_SINCE ? json : `\0${render_id}\0${json}`).toString('hex'),
    });
  };
};
