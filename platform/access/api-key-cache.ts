import { LRUCache } from 'lru-cache';
import type { ApiKey, Membership, Team } from '../../domain/catalogue/entities.ts';
import type { Clock } from '../process/clock.ts';
import { batchReads } from '../read-store/batched-read.ts';
import { type Access, accessOf } from './access.ts';
import { type ShortLivedCache, shortLivedCache } from './short-lived-cache.ts';

export type CachedKey = { readonly key: ApiKey; readonly access: Access };

export type ApiKeyCache = { readonly find: ShortLivedCache<CachedKey> };

/** How long an unknown key stays cached. Short, because such a key may be issued at any moment. */
const UNKNOWN_MS = 250;
const MAX_UNKNOWN = 1_000;
const MAX_IN_ONE_QUERY = 100;
const MAX_LOOKED_UP = 2_000;

/** All methods reject when the store fails. */
export type ApiKeySource = {
  readonly keysBySecret: (secrets: readonly string[]) => Promise<readonly ApiKey[]>;
  readonly teams: (team_ids: readonly string[]) => Promise<readonly Team[]>;
  readonly membershipsOf: (user_id: string, team_ids: readonly string[]) => Promise<readonly Membership[]>;
  /**
   * Whether the account or the user of the key was erased. The cache then refuses the key, because its revocation comes
   * a little later.
   */
  readonly isOfErased: (key: Pick<ApiKey, 'account_id' | 'user_id'>) => Promise<boolean>;
};

export const openApiKeyCache = (catalogue: ApiKeySource, clock: Clock): ApiKeyCache => {
  // Anyone can invent keys with a valid checksum. All look-ups share one query at a time, so invented keys cost little.
  const readKey = batchReads(
    async (secrets) => new Map((await catalogue.keysBySecret(secrets)).map((key) => [key.secret_sha256, key])),
    MAX_IN_ONE_QUERY,
  );

  const accessBy = async (key: ApiKey): Promise<Access | null> => {
    const { user_id, team_ids } = key;
    const [is_erased, teams, memberships] = await Promise.all([
      catalogue.isOfErased(key),
      catalogue.teams(team_ids),
      user_id === null ? [] : catalogue.membershipsOf(user_id, team_ids),
    ]);
    return is_erased ? null : accessOf(key, teams, memberships);
  };

  // A separate cache, so that unknown keys do not evict known ones.
  const unknown = new LRUCache<string, true>({
    max: MAX_UNKNOWN,
    ttl: UNKNOWN_MS,
    perf: { now: clock.monotonic },
  });

  const find = shortLivedCache(
    async (secret_sha256) => {
      const key = await readKey(secret_sha256);
      const access = key === undefined ? null : await accessBy(key);
      if (key !== undefined && access !== null) return { key, access };
      unknown.set(secret_sha256, true);
      return undefined;
    },
    MAX_LOOKED_UP,
    clock,
  );

  return { find: async (secret_sha256) => (unknown.has(secret_sha256) ? undefined : await find(secret_sha256)) };
};
