import type { Db } from 'mongodb';
import { within } from '../../platform/process/within.ts';
import { createIndexes, type Indexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import type { SessionDocument } from './documents.ts';

/** A session without its token. Times in ms since the epoch. */
export type Session = Omit<SessionDocument, '_id' | 'until'>;

/** All reject when the store does not answer. Sessions belong to no generation: the log knows nothing of them. */
export type Sessions = {
  /** Makes the collection and its indexes. */
  readonly prepare: () => Promise<void>;
  /** Null where there is none, or where it was last used before `used_after`, or has expired. */
  readonly find: (token_sha256: string, now: number, used_after: number) => Promise<Session | null>;
  /** A session that has ended meanwhile stays ended. */
  readonly use: (token_sha256: string, now: number) => Promise<void>;
  readonly end: (token_sha256: string) => Promise<void>;
};

const SESSION_INDEXES: Indexes = new Map([
  [COLLECTIONS.sessions, [{ key: { until: 1 }, expireAfterSeconds: 0 }, { key: { owner: 1 } }]],
]);

const WRITE_TIMEOUT_MS = 5_000;

/** A write cannot be given up as a read can; it is not waited for any longer. */
const inTime = <A>(write: Promise<A>): Promise<A> =>
  within(WRITE_TIMEOUT_MS, write, () => {
    throw new DOMException(`no answer within ${WRITE_TIMEOUT_MS} ms`, 'TimeoutError');
  });

const sessionOf = ({ _id, until, ...session }: SessionDocument): Session => session;

export const openSessions = (db: Db): Sessions => {
  const sessions = db.collection<SessionDocument>(COLLECTIONS.sessions);
  return {
    prepare: () => createIndexes(db, SESSION_INDEXES),
    find: async (_id, now, used_after) => {
      // The store removes what has expired a minute later.
      const lives = { _id, expires_at: { $gt: now }, last_used_at: { $gt: used_after } };
      const found = await sessions.findOne(lives, queryTimeout());
      return found === null ? null : sessionOf(found);
    },
    use: async (_id, now) => {
      await inTime(sessions.updateOne({ _id }, { $max: { last_used_at: now } }));
    },
    end: async (_id) => {
      await inTime(sessions.deleteOne({ _id }));
    },
  };
};
