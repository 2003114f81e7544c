import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient, ApiRequest, ApiResult } from './api-client.ts';
import { allPages, ask } from './requests.ts';

export const KeyAnswer = t.type({
  ...{ id: t.string, name: t.string, account_id: t.string, user_id: nullable(t.string) },
  ...{ team_ids: t.readonlyArray(t.string), prefix: t.string, last4: t.string, created_at: t.number },
  ...{ expires_at: nullable(t.number), revoked_at: nullable(t.number), replaced_by: nullable(t.string) },
  ...{ scopes: t.readonlyArray(t.string), last_used_at: nullable(t.number) },
});
export type KeyAnswer = t.TypeOf<typeof KeyAnswer>;

const CreatedKey = t.intersection([KeyAnswer, t.type({ secret: nullable(t.string) })]);
const RotatedKey = t.intersection([CreatedKey, t.type({ replaces: KeyAnswer })]);

type WithSecret = { readonly id: string; readonly secret: string | null };

/** A key with its secret, under the names that `--json` has. */
export type RemoteIssuedKey = KeyAnswer & { readonly key: string };

const keysPath = (team_id: string): string => `/manage/v1/teams/${encodeURIComponent(team_id)}/keys`;
const keyPath = (team_id: string, id: string): string => `${keysPath(team_id)}/${encodeURIComponent(id)}`;

/** The answer to a repeat has no secret: the answer with the secret was lost. */
const withKey = <A extends WithSecret>({
  secret,
  ...rest
}: A): E.Either<CliFault, Omit<A, 'secret'> & { key: string }> =>
  secret === null ? E.left({ tag: 'secret_lost', what: 'key', id: rest.id }) : E.right({ ...rest, key: secret });

/** The oldest first. */
export const listRemoteKeys = async (client: ApiClient, team_id: string): ApiResult<readonly KeyAnswer[]> =>
  E.map((keys: readonly KeyAnswer[]) => keys.toReversed())(
    await allPages(client, KeyAnswer, keysPath(team_id), { state: 'all' }),
  );

export const remoteKeyById = (client: ApiClient, team_id: string, id: string): ApiResult<KeyAnswer> =>
  ask(client, KeyAnswer, { path: keyPath(team_id, id) });

export type KeyWish = {
  readonly name: string;
  readonly kind: 'personal' | 'service';
  readonly team_ids: readonly string[];
  readonly expires_at: number | null;
  readonly scopes: readonly string[];
};

const creation = (path: string, body: object): ApiRequest => ({
  ...{ path, body, headers: { 'Idempotency-Key': randomUUID() } },
});

export const createRemoteKey = async (
  client: ApiClient,
  team_id: string,
  wish: KeyWish,
): ApiResult<RemoteIssuedKey> => {
  const created = await ask(client, CreatedKey, creation(keysPath(team_id), wish));
  return E.isLeft(created) ? created : withKey(created.right);
};

export type RemoteRotation = {
  readonly overlap_ms: number;
  /** Undefined for the lifetime of the old key, from now. */
  readonly expires_at: number | null | undefined;
};

const MS_PER_S = 1_000;

export const rotateRemoteKey = async (
  client: ApiClient,
  team_id: string,
  id: string,
  { overlap_ms, expires_at }: RemoteRotation,
): ApiResult<RemoteIssuedKey & { readonly replaces: KeyAnswer }> => {
  const old = await remoteKeyById(client, team_id, id);
  if (E.isLeft(old)) return old;
  const { created_at, expires_at: ends_at } = old.right;
  const same_lifetime = ends_at === null ? null : Date.now() + ends_at - created_at;
  const body = { overlap_s: Math.ceil(overlap_ms / MS_PER_S), expires_at: expires_at ?? null };
  const wish = expires_at === undefined ? { ...body, expires_at: same_lifetime } : body;
  const rotated = await ask(client, RotatedKey, creation(`${keyPath(team_id, id)}/rotate`, wish));
  return E.isLeft(rotated) ? rotated : withKey(rotated.right);
};

export const revokeRemoteKey = (client: ApiClient, team_id: string, id: string): ApiResult<KeyAnswer> =>
  ask(client, KeyAnswer, { path: `${keyPath(team_id, id)}/revoke`, body: {} });
