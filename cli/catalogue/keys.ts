import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { mintApiKey } from '../../domain/access/api-key.ts';
import type { ApiKeyIssued } from '../../domain/catalogue/events.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { CliFault } from '../fault.ts';
import { type KeyAnswer, keyAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, type Changed, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

export type NewKey = {
  readonly account_id: string;
  readonly user_id: string | null;
  readonly team_ids: readonly string[];
  readonly name: string;
  /** Milliseconds since the epoch; null for never. */
  readonly expires_at: number | null;
};

/** `key` is shown this once, and stored nowhere. */
export type IssuedKey = KeyAnswer & { readonly key: string };

const shown = async (changed: Changed, id: string): Promise<E.Either<CliFault, KeyAnswer>> => {
  const key = await changed.view.api_keys.findOne({ _id: id });
  return key === null
    ? E.left({ tag: 'not_found', what: 'key', id, list: 'renderctl key list' })
    : E.right(keyAnswer(key));
};

export const createKey = async (catalogue: Catalogue, wanted: NewKey): Promise<E.Either<CliFault, IssuedKey>> => {
  const minted = mintApiKey(randomBytes(32), sha256Hex);
  if (minted === null) throw new Error('a key is minted from exactly 32 random bytes');
  const { key, ...traits } = minted;
  const key_id = newId('key');
  const meta = metaOf(catalogue.actor);
  const team_ids = [...wanted.team_ids];
  const event: ApiKeyIssued = { type: 'ApiKeyIssued', meta, key_id, ...wanted, team_ids, ...traits };
  const issued = await changeCatalogue(catalogue, event);
  if (E.isLeft(issued)) return issued;
  const answer = await shown(issued.right, key_id);
  return E.isLeft(answer) ? answer : E.right({ ...answer.right, key });
};

/** How long a reader of keys may go on with one that it has in its cache. */
const CACHED_FOR_MS = 1_000;

/** Returns when the revoke is in force: shown by the read model, and out of every cache. */
export const revokeKey = async (catalogue: Catalogue, key_id: string): Promise<E.Either<CliFault, KeyAnswer>> => {
  const meta = metaOf(catalogue.actor);
  const revoked = await changeCatalogue(catalogue, { type: 'ApiKeyRevoked', meta, key_id });
  if (E.isLeft(revoked)) return revoked;
  await new Promise((resolve) => setTimeout(resolve, CACHED_FOR_MS));
  return shown(revoked.right, key_id);
};

export const listKeys = async (view: CatalogueView, account_id: string | null): Promise<readonly KeyAnswer[]> =>
  (await view.api_keys.find(account_id === null ? {} : { account_id }).toArray())
    .map(keyAnswer)
    .toSorted((a, b) => a.created_at - b.created_at);
