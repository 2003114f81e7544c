import { chunksOf } from 'fp-ts/lib/ReadonlyArray.js';
import { LRUCache } from 'lru-cache';
import {
  type AccountMember,
  type Identity,
  isErased,
  type Membership,
  type User,
} from '../../domain/catalogue/entities.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { shortLivedCache } from '../../platform/access/short-lived-cache.ts';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { SESSIONS } from '../../platform/configuration/parts.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Session, Sessions } from '../../read-models/sessions/sessions.ts';
import type { SessionHolder } from './person.ts';

export type People = {
  /** Undefined if the token has no session. `too_many` if too many look-ups run at once. Rejects on store outage. */
  readonly find: (token: string) => Promise<SessionHolder | undefined | 'too_many'>;
  /**
   * The people of many sessions, by the sha256 of their tokens, without ended sessions. Unlike `find`, this does not
   * count as a use of the sessions. Rejects on store outage.
   */
  readonly findAll: (token_sha256s: readonly string[]) => Promise<ReadonlyMap<string, SessionHolder>>;
  /** Drops a session that has ended from the memory of this process. */
  readonly forget: (token_sha256: string) => void;
};

export type PeopleSource = {
  readonly sessions: Pick<Sessions, 'find' | 'findAll' | 'use' | 'end'>;
  readonly read_model: Pick<
    CatalogueReadModel,
    'find' | 'entities' | 'membershipsOf' | 'membershipsOfAll' | 'ownershipsOf' | 'ownershipsOfAll'
  >;
};

/** How long an ended session is remembered: longer than the cache of `find` keeps a person. */
const ENDED_MS = 30_000;
const MAX_ENDED = 10_000;
const MAX_LOOKED_UP = 500;
/** Interval for storing a session's last use. Sessions with a short idle time store it four times in that time. */
const USE_EVERY_MS = 60_000;
const MS_PER_S = 1_000;

const NOBODY = { roles: new Map(), owned_accounts: new Set<string>() } as const;

/** Ids per query: some stores scan the whole list of ids for each match, and block other queries meanwhile. */
const ASKED_TOGETHER = 50;

const inParts = async <A>(
  ids: readonly string[],
  ask: (part: readonly string[]) => Promise<A>,
): Promise<readonly A[]> => {
  const answers: A[] = [];
  for (const part of chunksOf(ASKED_TOGETHER)(ids)) answers.push(await ask(part));
  return answers;
};

/**
 * The person of a session.
 * - `ended`: the user was erased, has no rights, or is no longer linked to the identity by the same link.
 * - `unknown`: the read model cannot tell yet.
 */
const judged = (
  session: Session,
  user: User | null,
  identity: Identity | null,
  memberships: readonly Membership[],
  ownerships: readonly AccountMember[],
): SessionHolder | 'ended' | 'unknown' => {
  const { user_id, linked_at, is_operator, is_guest } = session;
  if (user_id === null) return { session, user_id, is_operator, ...NOBODY };
  if (isErased(user)) return 'ended';
  // The read model is older than the link, for example after a restore. It cannot show whether the link still exists.
  if (identity === null) return 'unknown';
  const is_linked = identity.user_id === user_id && identity.unlinked_at === null && identity.linked_at === linked_at;
  if (!is_linked) return 'ended';
  if (memberships.length + ownerships.length === 0 && !is_guest && !is_operator) return 'ended';
  return {
    ...{ session, user_id, is_operator },
    roles: new Map(memberships.map(({ team_id, role }) => [team_id, role])),
    owned_accounts: new Set(ownerships.map(({ account_id }) => account_id)),
  };
};

export const openPeople = (
  { sessions, read_model }: PeopleSource,
  { idle_s }: Pick<Values<typeof SESSIONS>, 'idle_s'>,
  clock: Clock,
): People => {
  const idle_ms = idle_s * MS_PER_S;
  const use_every_ms = Math.min(USE_EVERY_MS, idle_ms / 4);

  const whoHas = async (session: Session): Promise<SessionHolder | 'ended' | 'unknown'> => {
    const { identity_id, user_id } = session;
    if (user_id === null) return judged(session, null, null, [], []);
    const [identity, user, memberships, ownerships] = await Promise.all([
      read_model.find('identity', identity_id),
      read_model.find('user', user_id),
      read_model.membershipsOf(user_id),
      read_model.ownershipsOf(user_id),
    ]);
    return judged(session, user, identity, memberships, ownerships);
  };

  const lookUp = async (token_sha256: string): Promise<SessionHolder | undefined> => {
    const now = clock.now();
    const session = await sessions.find(token_sha256, now, now - idle_ms);
    if (session === null) return undefined;
    const who = await whoHas(session);
    // Ends the session permanently: if the person is linked or added again later, the session must not revive.
    if (who === 'ended') await sessions.end(token_sha256);
    if (who === 'ended' || who === 'unknown') return undefined;
    if (now - session.last_used_at >= use_every_ms) await sessions.use(token_sha256, now);
    return who;
  };

  const find = shortLivedCache(lookUp, MAX_LOOKED_UP, clock);

  /**
   * Sessions that ended lately. They are remembered because a look-up that was running at that time may still put the
   * session into the cache.
   */
  const ended = new LRUCache<string, true>({ max: MAX_ENDED, ttl: ENDED_MS, perf: { now: clock.monotonic } });

  return {
    find: async (token) => {
      const token_sha256 = sha256Hex(token);
      const who = await find(token_sha256);
      return who !== 'too_many' && ended.has(token_sha256) ? undefined : who;
    },
    findAll: async (token_sha256s) => {
      const now = clock.now();
      const all = await inParts(token_sha256s, (part) => sessions.findAll(part, now, now - idle_ms));
      const found = new Map(all.flatMap((some) => [...some]));
      const users = [...new Set([...found.values()].flatMap(({ user_id }) => (user_id === null ? [] : [user_id])))];
      const identity_ids = [...new Set([...found.values()].map(({ identity_id }) => identity_id))];
      const [identities, of_users, memberships, ownerships] = await Promise.all([
        inParts(identity_ids, (part) => read_model.entities('identity', part)),
        inParts(users, (part) => read_model.entities('user', part)),
        inParts(users, read_model.membershipsOfAll),
        inParts(users, read_model.ownershipsOfAll),
      ]);
      const userOf = new Map(of_users.flat().map((user) => [user.id, user]));
      const identityOf = new Map(identities.flat().map((identity) => [identity.id, identity]));
      const membershipsOf = Map.groupBy(memberships.flat(), ({ user_id }) => user_id);
      const ownershipsOf = Map.groupBy(ownerships.flat(), ({ user_id }) => user_id);
      const watched = new Map<string, SessionHolder>();
      for (const [token_sha256, session] of found) {
        const { identity_id, user_id } = session;
        const identity = identityOf.get(identity_id) ?? null;
        const of_user = user_id ?? '';
        const user = userOf.get(of_user) ?? null;
        const who = judged(session, user, identity, membershipsOf.get(of_user) ?? [], ownershipsOf.get(of_user) ?? []);
        if (who !== 'ended' && who !== 'unknown' && !ended.has(token_sha256)) watched.set(token_sha256, who);
      }
      return watched;
    },
    forget: (token_sha256) => void ended.set(token_sha256, true),
  };
};
