import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { mintApiKey } from '../domain/access/api-key.ts';
import type { Scope } from '../domain/access/scopes.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type KeyView, keyView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { waitUntilEffective } from './in-force.ts';
import { findEntity } from './named-entity.ts';

export const keyById = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, KeyView>> => {
  const key = await findEntity(read_model, 'api_key', id);
  return E.isLeft(key) ? key : E.right(keyView(key.right, (await read_model.lastUses([id])).get(id) ?? null));
};

const minted = () => {
  const key = mintApiKey(randomBytes(32), sha256Hex);
  if (key === null) throw new Error('a key is minted from exactly 32 random bytes');
  return key;
};

const unseen =
  (key_id: string, key: string) =>
  (fault: CatalogueFault): CatalogueFault =>
    fault.tag === 'not_shown' ? { ...fault, key: { key_id, key } } : fault;

export type NewKey = {
  readonly account_id: string;
  readonly user_id: string | null;
  readonly team_ids: readonly string[];
  readonly name: string;
  readonly expires_at: number | null;
  readonly scopes?: readonly Scope[];
  readonly id?: string;
};

export type IssuedKey = KeyView & { readonly key: string };

export const createKey = async (
  catalogue: CatalogueWriter,
  wanted: NewKey,
): Promise<E.Either<CatalogueFault, IssuedKey>> => {
  const { key, ...traits } = minted();
  const { id: key_id = newId('key'), ...content } = wanted;
  const command = { type: 'IssueKey', key_id, ...content, ...traits } as const;
  const issued = await changeAndRead(catalogue, command, (read_model) => keyById(read_model, key_id));
  return E.bimap(unseen(key_id, key), (answer: KeyView) => ({ ...answer, key }))(issued);
};

export const revokeKey = async (
  catalogue: CatalogueWriter,
  key_id: string,
): Promise<E.Either<CatalogueFault, ChangeResult<KeyView>>> =>
  waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, { type: 'RevokeKey', key_id }, (read_model) => keyById(read_model, key_id)),
  );

export type KeyRotation = {
  readonly key_id: string;
  /** How long the old key stays valid; 0 revokes it at once. */
  readonly overlap_ms: number;
  /** ms since the epoch; null for never. If it is omitted, the new key gets the lifetime of the old one, from now. */
  readonly expires_at?: number | null;
  readonly new_key_id?: string;
};

export type RotatedKey = IssuedKey & { readonly replaces: KeyView };

/** Without an overlap, returns when the old key is refused everywhere. */
export const rotateKey = async (
  catalogue: CatalogueWriter,
  rotation: KeyRotation,
): Promise<E.Either<CatalogueFault, RotatedKey>> => {
  const { key, ...traits } = minted();
  const { new_key_id = newId('key') } = rotation;
  const rotating = changeAndRead(
    catalogue,
    { type: 'RotateKey', ...rotation, new_key_id, ...traits },
    async (read_model) => {
      const [replaces, issued] = [await keyById(read_model, rotation.key_id), await keyById(read_model, new_key_id)];
      if (E.isLeft(replaces)) return replaces;
      return E.isLeft(issued) ? issued : E.right({ ...issued.right, key, replaces: replaces.right });
    },
  );
  return E.mapLeft(unseen(new_key_id, key))(
    await (rotation.overlap_ms === 0 ? waitUntilEffective(catalogue, rotating) : rotating),
  );
};

export const listKeys = async (
  read_model: CatalogueReadModel,
  account_id: string | null,
): Promise<readonly KeyView[]> => {
  const keys = await read_model.keys(account_id);
  const uses = await read_model.lastUses(keys.map(({ id }) => id));
  return keys.map((key) => keyView(key, uses.get(key.id) ?? null)).toSorted((a, b) => a.created_at - b.created_at);
};

/**
 * Keys that give access to a team, newest first.
 *
 * @param in_force_at ms since the epoch: only keys that are valid then; null to include ended keys
 */
export const listKeysOfTeam = async (
  read_model: CatalogueReadModel,
  team_id: string,
  in_force_at: number | null,
): Promise<readonly KeyView[]> => {
  const keys = await read_model.keysOfTeam(team_id, in_force_at);
  const uses = await read_model.lastUses(keys.map(({ id }) => id));
  return keys.map((key) => keyView(key, uses.get(key.id) ?? null));
};
