import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { apiKeyHash, bearerToken } from '../../domain/access/api-key.ts';
import { type ApiKey, membershipId } from '../../domain/catalogue/entities.ts';
import {
  type ApiKeyDocument,
  entityOf,
  type MembershipDocument,
  type TeamDocument,
} from '../../schemas/read-models/catalogue-document.ts';
import { catalogueCollections } from '../../schemas/read-models/collections.ts';
import type { ApiError } from '../http-server/api-error.ts';
import { inTime } from '../read-store/in-time.ts';
import { type Access, accessOf, isInForce } from './access.ts';
import type { KeyUse } from './key-use.ts';
import { sha256Hex } from './sha256.ts';

/** A revoked key is refused, and a removed member reaches nothing, within this time everywhere. */
const CACHED_MS = 1_000;
const MOST_CACHED = 10_000;

type Known = { readonly key: ApiKey; readonly access: Access };

/** Checks keys. */
export type KeyRing = {
  /**
   * @param authorization the request's header
   * @returns `unauthenticated` for a missing, malformed, unknown, revoked or expired key, without telling which of
   *   the last three; rejects when the store does not answer
   */
  readonly admit: (authorization: string | undefined) => Promise<E.Either<ApiError, Access>>;
};

const refused = (message: string): E.Either<ApiError, never> => E.left({ tag: 'unauthenticated', message });

/**
 * @param generation the current one of the catalogue
 * @param use is told of every key that was let in
 */
export const openKeyRing = (db: Db, generation: () => Promise<number>, use: KeyUse): KeyRing => {
  const load = async (secret_sha256: string): Promise<Known | undefined> => {
    const { entities } = catalogueCollections(await generation());
    const found = await db.collection<ApiKeyDocument>(entities.api_key).findOne({ secret_sha256 }, inTime());
    if (found === null) return undefined;
    const key: ApiKey = entityOf(found);
    const { user_id, team_ids } = key;
    const [teams, memberships] = await Promise.all([
      db
        .collection<TeamDocument>(entities.team)
        .find({ _id: { $in: [...team_ids] } }, inTime())
        .toArray(),
      user_id === null
        ? []
        : db
            .collection<MembershipDocument>(entities.membership)
            .find({ _id: { $in: team_ids.map((team_id) => membershipId(team_id, user_id)) } }, inTime())
            .toArray(),
    ]);
    return {
      key,
      access: accessOf(
        key,
        teams.map((team) => entityOf(team)),
        memberships.map((one) => entityOf(one)),
      ),
    };
  };

  // Concurrent requests with one key wait for one look-up. Unknown keys are not remembered: they would push out known ones.
  const known = new LRUCache<string, Known>({ max: MOST_CACHED, ttl: CACHED_MS, fetchMethod: load });

  return {
    admit: async (authorization) => {
      if (authorization === undefined) return refused('Authorization: must be given, as "Bearer <API key>"');
      const token = bearerToken(authorization);
      if (token === null) return refused('Authorization: must be "Bearer <API key>"');
      const hash = apiKeyHash(token, sha256Hex);
      if (hash === null) return refused('Authorization: is not an API key');
      const found = await known.fetch(hash);
      if (found === undefined || !isInForce(found.key, Date.now()))
        return refused('Authorization: the key is not valid');
      use.note(found.key.id);
      return E.right(found.access);
    },
  };
};
