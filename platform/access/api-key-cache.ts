import { LRUCache } from 'lru-cache';
import type { ApiKey, Membership, Team } from '../../domain/catalogue/entities.ts';
import type { Clock } from '../process/clock.ts';
import { batchedRead } from '../read-store/batched-read.ts';
import { type Access, accessOf } from './access.ts';

export type CachedKey = {
  readonly key: ApiKey;
  readonly access: Access;
  /** When its look-up began, ms of a monotonic clock: what the store showed after that may be missing here. */
  readonly read_at: number;
};

/** Looks a key up by the sha256 of its text. */
export type ApiKeyCache = {
  /** Undefined when there is none, `too_many` when more are being looked up than can be; rejects when the store fails. */
  readonly find: (secret_sha256: string) => Promise<CachedKey | undefined | 'too_many'>;
};

/**
 * Counted from before the look-up, so a key that was revoked is refused everywhere this long after the read model
 * showed it, or a second more where its generation had to be read, too: within the two seconds that a revocation waits.
 */
const KNOWN_MS = 900;
const MOST_KNOWN = 10_000;
/** How long an unknown key is remembered. Short, as it may be issued at any moment. */
const UNKNOWN_MS = 250;
const MOST_UNKNOWN = 1_000;
const MOST_IN_ONE_QUERY = 100;
const MOST_LOOKED_UP = 2_000;

/** Looks up keys, and the teams that they reach, in the catalogue. All reject when the store fails. */
export type ApiKeySource = {
  readonly keysBySecret: (secrets: readonly string[]) => Promise<readonly ApiKey[]>;
  readonly teams: (team_ids: readonly string[]) => Promise<readonly Team[]>;
  readonly membershipsOf: (user_id: string, team_ids: readonly string[]) => Promise<readonly Membership[]>;
};

export const openApiKeyCache = (catalogue: ApiKeySource, clock: Clock): ApiKeyCache => {
  const perf = { now: clock.monotonic };
  // Anyone can make keys with a valid checksum: they cost one query at a time, however many there are.
  const readKey = batchedRead(
    async (secrets) => new Map((await catalogue.keysBySecret(secrets)).map((key) => [key.secret_sha256, key])),
    MOST_IN_ONE_QUERY,
  );

  const accessBy = async (key: ApiKey): Promise<Access> => {
    const { user_id, team_ids } = key;
    const [teams, memberships] = await Promise.all([
      catalogue.teams(team_ids),
      user_id === null ? [] : catalogue.membershipsOf(user_id, team_ids),
    ]);
    return accessOf(key, teams, memberships);
  };

  const unknown = new LRUCache<string, true>({ max: MOST_UNKNOWN, ttl: UNKNOWN_MS, perf });
  let looked_up = 0;

  // Concurrent requests with one key wait for one look-up. Unknown keys are kept apart: they would push out known ones.
  const known = new LRUCache<string, CachedKey>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    perf,
    fetchMethod: async (secret_sha256, _stale, { options }) => {
      const read_at = clock.monotonic();
      looked_up += 1;
      try {
        const key = await readKey(secret_sha256);
        if (key === undefined) {
          unknown.set(secret_sha256, true);
          return undefined;
        }
        const access = await accessBy(key);
        options.ttl = Math.max(1, KNOWN_MS - (clock.monotonic() - read_at));
        return { key, access, read_at };
      } finally {
        looked_up -= 1;
      }
    },
  });

  return {
    find: async (secret_sha256) => {
      if (unknown.has(secret_sha256)) return undefined;
      if (looked_up >= MOST_LOOKED_UP && !known.has(secret_sha256)) return 'too_many';
      const asked_at = clock.monotonic();
      const found = await known.fetch(secret_sha256);
      // A look-up that this request only joined may have begun too long ago, where the store is slow.
      const fresh = found === undefined || asked_at - found.read_at <= KNOWN_MS;
      return fresh ? found : await known.fetch(secret_sha256, { forceRefresh: true });
    },
  };
};
