import type { Db } from 'mongodb';
import { createIndexes, type Indexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';
import type { SessionDocument } from './documents.ts';

export type Session = Omit<SessionDocument, '_id' | 'until'>;

/**
 * All functions reject on timeout or store outage. Sessions belong to no generation, because the log does not have
 * them.
 */
export type Sessions = {
  readonly prepare: () => Promise<void>;
  readonly begin: (token_sha256: string, session: Session) => Promise<void>;
  /** Null if the session does not exist, was last used before `used_after`, or has expired. */
  readonly find: (token_sha256: string, now: number, used_after: number) => Promise<Session | null>;
  readonly findAll: (
    token_sha256s: readonly string[],
    now: number,
    used_after: number,
  ) => Promise<ReadonlyMap<string, Session>>;
  readonly listOf: (owner: string, now: number, used_after: number) => Promise<readonly Session[]>;
  /** Does not restore a session that has ended. */
  readonly use: (token_sha256: string, now: number) => Promise<void>;
  readonly end: (token_sha256: string) => Promise<void>;
  readonly endAllOf: (owner: string) => Promise<void>;
  /** @returns the SHA-256 of the session's token, or null if the owner has no such session */
  readonly endOf: (owner: string, id: string) => Promise<string | null>;
};

const SESSION_INDEXES: Indexes = new Map([
  [COLLECTIONS.sessions, [{ key: { until: 1 }, expireAfterSeconds: 0 }, { key: { owner: 1 } }]],
]);

const MAX_SESSIONS = 20;

const sessionOf = ({ _id, until, ...session }: SessionDocument): Session => session;

/** A filter for sessions that have not ended, because the store removes expired sessions up to a minute late. */
const alive = (now: number, used_after: number) => ({
  expires_at: { $gt: now },
  last_used_at: { $gt: used_after },
});

export const openSessions = (db: Db): Sessions => {
  const sessions = db.collection<SessionDocument>(COLLECTIONS.sessions);

  const newestOf = async (owner: string): Promise<readonly SessionDocument[]> => {
    const found = await sessions.find({ owner }, queryTimeout()).toArray();
    return found.toSorted((a, b) => b.created_at - a.created_at || (a._id < b._id ? -1 : 1));
  };

  return {
    prepare: () => createIndexes(db, SESSION_INDEXES),
    begin: async (_id, session) => {
      await withWriteTimeout(sessions.insertOne({ _id, ...session, until: new Date(session.expires_at) }));
      const beyond = (await newestOf(session.owner)).slice(MAX_SESSIONS).map((one) => one._id);
      if (beyond.length > 0) await withWriteTimeout(sessions.deleteMany({ _id: { $in: beyond } }));
    },
    find: async (_id, now, used_after) => {
      const found = await sessions.findOne({ _id, ...alive(now, used_after) }, queryTimeout());
      return found === null ? null : sessionOf(found);
    },
    findAll: async (ids, now, used_after) => {
      const wanted = { _id: { $in: [...ids] }, ...alive(now, used_after) };
      const found = await sessions.find(wanted, queryTimeout()).toArray();
      return new Map(found.map((one) => [one._id, sessionOf(one)]));
    },
    listOf: async (owner, now, used_after) =>
      (await newestOf(owner))
        .filter(({ expires_at, last_used_at }) => expires_at > now && last_used_at > used_after)
        .map(sessionOf),
    use: async (_id, now) => {
      await withWriteTimeout(sessions.updateOne({ _id }, { $max: { last_used_at: now } }));
    },
    end: async (_id) => {
      await withWriteTimeout(sessions.deleteOne({ _id }));
    },
    endAllOf: async (owner) => {
      await withWriteTimeout(sessions.deleteMany({ owner }));
    },
    endOf: async (owner, id) => (await withWriteTimeout(sessions.findOneAndDelete({ owner, id })))?._id ?? null,
  };
};
