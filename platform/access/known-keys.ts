import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { type ApiKey, membershipId } from '../../domain/catalogue/entities.ts';
import { entityOf } from '../../read-models/catalogue/codec.ts';
import type { ApiKeyDocument, MembershipDocument, TeamDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { batchedRead } from '../read-store/batched-read.ts';
import { inTime } from '../read-store/in-time.ts';
import { type Access, accessOf } from './access.ts';

export type KnownKey = {
  readonly key: ApiKey;
  readonly access: Access;
  /** When its look-up began, ms of a monotonic clock: what the store showed after that may be missing here. */
  readonly read_at: number;
};

/** Looks a key up by the sha256 of its text. */
export type KnownKeys = {
  /** Undefined when there is none, `too_many` when more are being looked up than can be; rejects when the store fails. */
  readonly find: (secret_sha256: string) => Promise<KnownKey | undefined | 'too_many'>;
};

/**
 * Counted from before the look-up, so a key that was revoked is refused everywhere this long after the read model
 * showed it, or a second more where its generation had to be read, too: within the two that whoever revokes waits.
 */
const KNOWN_MS = 900;
const MOST_KNOWN = 10_000;
/** A client that goes on with a key of which nothing is known. Short, for it may be issued any moment. */
const UNKNOWN_MS = 250;
const MOST_UNKNOWN = 1_000;
const MOST_IN_ONE_QUERY = 100;
const MOST_LOOKED_UP = 2_000;

/** @param generation the current one of the catalogue */
export const openKnownKeys = (db: Db, generation: () => Promise<number>): KnownKeys => {
  const collections = async () => catalogueCollections(await generation()).entities;

  // Anybody can make up keys with a right checksum: they cost one query at a time, however many they are.
  const readKey = batchedRead(async (secrets) => {
    const keys = db.collection<ApiKeyDocument>((await collections()).api_key);
    const found = await keys.find({ secret_sha256: { $in: [...secrets] } }, inTime()).toArray();
    return new Map(found.map((document) => [document.secret_sha256, entityOf(document)]));
  }, MOST_IN_ONE_QUERY);

  const accessBy = async (key: ApiKey): Promise<Access> => {
    const { user_id, team_ids } = key;
    const entities = await collections();
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
    return accessOf(
      key,
      teams.map((team) => entityOf(team)),
      memberships.map((one) => entityOf(one)),
    );
  };

  const unknown = new LRUCache<string, true>({ max: MOST_UNKNOWN, ttl: UNKNOWN_MS });
  let looked_up = 0;

  // Concurrent requests with one key wait for one look-up. Unknown keys are kept apart: they would push out known ones.
  const known = new LRUCache<string, KnownKey>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    fetchMethod: async (secret_sha256, _stale, { options }) => {
      const read_at = performance.now();
      looked_up += 1;
      try {
        const key = await readKey(secret_sha256);
        if (key === undefined) {
          unknown.set(secret_sha256, true);
          return undefined;
        }
        const access = await accessBy(key);
        options.ttl = Math.max(1, KNOWN_MS - (performance.now() - read_at));
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
      const asked_at = performance.now();
      const found = await known.fetch(secret_sha256);
      // A look-up that this one only joined may have begun too long ago, where the store is slow.
      const fresh = found === undefined || asked_at - found.read_at <= KNOWN_MS;
      return fresh ? found : await known.fetch(secret_sha256, { forceRefresh: true });
    },
  };
};
