import type { ClientSession, Db, MongoClient } from 'mongodb';

/** Every write is journaled on a majority, and every read sees only such writes. */
export type ReadStore = {
  readonly db: Db;
  readonly client: MongoClient;
  /**
   * Repeats `work` from the beginning on a transient conflict, a limited number of times. Every operation inside must
   * get the session. Rejects with the error of the last try.
   */
  readonly transaction: <A>(work: (session: ClientSession) => Promise<A>) => Promise<A>;
  /** Whether the server answers a ping within two seconds. */
  readonly healthy: () => Promise<boolean>;
  readonly close: () => Promise<void>;
};
