import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { mintApiKey } from '../../domain/access/api-key.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { CliFault } from '../fault.ts';
import { type KeyAnswer, keyAnswer } from './answers.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue, changed } from './change.ts';
import { metaOf, newId } from './identity.ts';
import { untilInForce } from './in-force.ts';

export const keyById = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, KeyAnswer>> => {
  const key = await view.api_keys.findOne({ _id: id });
  if (key === null) return E.left({ tag: 'not_found', what: 'key', id, list: 'renderctl key list' });
  return E.right(keyAnswer(key, await view.key_last_used.findOne({ _id: id })));
};

const minted = () => {
  const key = mintApiKey(randomBytes(32), sha256Hex);
  if (key === null) throw new Error('a key is minted from exactly 32 random bytes');
  return key;
};

/** The key is in the log, or may be, and would be lost if it were not shown now. */
const unseen =
  (key_id: string, key: string) =>
  (fault: CliFault): CliFault =>
    fault.tag === 'not_shown' ? { ...fault, key: { key_id, key } } : fault;

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

export const createKey = async (catalogue: Catalogue, wanted: NewKey): Promise<E.Either<CliFault, IssuedKey>> => {
  const { key, ...traits } = minted();
  const key_id = newId('key');
  const meta = metaOf(catalogue.actor);
  const team_ids = [...wanted.team_ids];
  const issued = await changeCatalogue(catalogue, {
    type: 'ApiKeyIssued',
    meta,
    key_id,
    ...wanted,
    team_ids,
    ...traits,
  });
  if (E.isLeft(issued)) return E.mapLeft(unseen(key_id, key))(issued);
  const answer = await keyById(issued.right.view, key_id);
  return E.isLeft(answer) ? answer : E.right({ ...answer.right, key });
};

/** Returns when the revoke is in force. */
export const revokeKey = async (catalogue: Catalogue, key_id: string): Promise<E.Either<CliFault, After<KeyAnswer>>> =>
  untilInForce(
    changed(
      catalogue,
      { type: 'ApiKeyRevoked', meta: metaOf(catalogue.actor), key_id },
      (view) => keyById(view, key_id),
      ({ revoked_at }) => revoked_at !== null,
    ),
  );

export type Rotation = {
  readonly key_id: string;
  /** How long the old key goes on beside the new one; 0 ends it at once. */
  readonly overlap_ms: number;
  /** Of the new key, ms since the epoch; null for never; left out: as long after now as the old one was made to live. */
  readonly expires_at?: number | null;
};

/** `replaces`: the old key as it is now. */
export type RotatedKey = IssuedKey & { readonly replaces: KeyAnswer };

const expiryLike = ({ created_at, expires_at }: KeyAnswer, now: number): number | null =>
  expires_at === null ? null : now + (expires_at - created_at);

/** Issues a key in the place of another one. Without overlap it returns when the old one is refused everywhere. */
export const rotateKey = async (
  catalogue: Catalogue,
  { key_id, overlap_ms, expires_at }: Rotation,
): Promise<E.Either<CliFault, RotatedKey>> => {
  const old = await keyById(await catalogueView(catalogue.db), key_id);
  if (E.isLeft(old)) return old;
  const { key, ...traits } = minted();
  const new_key_id = newId('key');
  const meta = metaOf(catalogue.actor);
  const rotation = changeCatalogue(catalogue, {
    type: 'ApiKeyRotated',
    meta,
    key_id,
    new_key_id,
    ...traits,
    expires_at: expires_at === undefined ? expiryLike(old.right, meta.occurred_at) : expires_at,
    overlap_until: overlap_ms === 0 ? 0 : meta.occurred_at + overlap_ms,
  });
  const rotated = await (overlap_ms === 0 ? untilInForce(rotation) : rotation);
  if (E.isLeft(rotated)) return E.mapLeft(unseen(new_key_id, key))(rotated);
  const { view } = rotated.right;
  const [replaces, issued] = [await keyById(view, key_id), await keyById(view, new_key_id)];
  if (E.isLeft(replaces)) return replaces;
  return E.isLeft(issued) ? issued : E.right({ ...issued.right, key, replaces: replaces.right });
};

export const listKeys = async (view: CatalogueView, account_id: string | null): Promise<readonly KeyAnswer[]> => {
  const keys = await view.api_keys.find(account_id === null ? {} : { account_id }).toArray();
  const uses = await view.key_last_used.find({ _id: { $in: keys.map(({ _id }) => _id) } }).toArray();
  const used = new Map(uses.map((use) => [use._id, use]));
  return keys.map((key) => keyAnswer(key, used.get(key._id) ?? null)).toSorted((a, b) => a.created_at - b.created_at);
};
