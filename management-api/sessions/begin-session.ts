import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Session, Sessions } from '../../read-models/sessions/sessions.ts';
import { BEARER_SESSION_PREFIX } from '../../schemas/http/bearer-session.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import { setCookie } from '../access/cookies.ts';
import type { People } from '../access/people.ts';
import type { StoreStatedProfile } from '../people/store-stated-profile.ts';

export type SessionIdentity = Pick<Session, 'identity_id' | 'is_operator' | 'auth_time' | 'user_agent' | 'profile'>;

/** Begins a session, and ends the former session of the browser. @returns the value of Set-Cookie */
export type BeginSession = (who: SessionIdentity, former_token: string | null) => Promise<string>;

export type BearerSession = { readonly token: string; readonly expires_at: number };

/** Begins a session for a program. `guest`: the person is no user of an account, so nothing begins. */
export type BeginBearerSession = (who: SessionIdentity) => Promise<BearerSession | 'guest'>;

const TOKEN_BYTES = 32;
/** Guests can only accept an invitation, so their sessions are short. */
const GUEST_MS = 30 * 60_000;
const MS_PER_S = 1_000;

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export type BeginSessionDependencies = {
  readonly sessions: Pick<Sessions, 'begin' | 'end'>;
  readonly people: Pick<People, 'forget'>;
  readonly read_model: Pick<CatalogueReadModel, 'find' | 'membershipsOf' | 'ownershipsOf'>;
  readonly storeProfile: StoreStatedProfile;
  readonly clock: Clock;
  readonly lifetime_s: number;
  readonly public_url: string;
  readonly cookies: CookieNames;
};

export const openBeginSession = (
  parts: BeginSessionDependencies,
): { readonly beginSession: BeginSession; readonly beginBearerSession: BeginBearerSession } => {
  const { sessions, people, read_model, storeProfile, clock, lifetime_s, public_url, cookies } = parts;
  const linkOf = async (identity_id: string) => {
    const identity = await read_model.find('identity', identity_id);
    if (identity === null || identity.unlinked_at !== null) return { user_id: null, linked_at: null, reaches: false };
    const { user_id, linked_at } = identity;
    const [teams, accounts] = await Promise.all([read_model.membershipsOf(user_id), read_model.ownershipsOf(user_id)]);
    return { user_id, linked_at, reaches: teams.length + accounts.length > 0 };
  };

  const describe = async (who: SessionIdentity): Promise<Session> => {
    const { user_id, linked_at, reaches } = await linkOf(who.identity_id);
    const now = clock.now();
    const is_guest = !reaches && !who.is_operator;
    const lasts_ms = is_guest ? Math.min(GUEST_MS, lifetime_s * MS_PER_S) : lifetime_s * MS_PER_S;
    return {
      ...{ id: `sess_${mintUlid(now)}`, owner: user_id ?? who.identity_id, identity_id: who.identity_id },
      ...{ user_id, linked_at, is_operator: who.is_operator, is_guest, auth_time: who.auth_time },
      ...{ created_at: now, last_used_at: now, expires_at: now + lasts_ms, user_agent: who.user_agent },
      // The session of a user needs no copy, because the profile of the user is stored.
      ...(user_id === null && who.profile !== undefined && { profile: who.profile }),
    };
  };

  const begin = async (token: string, session: Session, { profile }: SessionIdentity): Promise<void> => {
    await sessions.begin(sha256Hex(token), session);
    if (session.user_id !== null && profile !== undefined) await storeProfile(session.user_id, profile);
  };

  return {
    beginSession: async (who, former_token) => {
      const session = await describe(who);
      const token = newToken();
      await begin(token, session, who);
      if (former_token !== null) {
        const former_sha256 = sha256Hex(former_token);
        await sessions.end(former_sha256);
        people.forget(former_sha256);
      }
      const lasts_s = Math.floor((session.expires_at - session.created_at) / MS_PER_S);
      return setCookie(public_url, { name: cookies.session, value: token, lasts_s });
    },
    beginBearerSession: async (who) => {
      const session = await describe(who);
      if (session.is_guest) return 'guest';
      const token = `${BEARER_SESSION_PREFIX}${newToken()}`;
      await begin(token, session, who);
      return { token, expires_at: session.expires_at };
    },
  };
};
