import type { ClientSession, Db, MongoClient } from 'mongodb';

/** The document store of the read models. Every write is journaled on a majority, every read sees only such writes. */
export type ReadStore = {
  readonly db: Db;
  readonly client: MongoClient;
  /**
   * Runs `work` in one transaction, again from its beginning on a transient conflict, a bounded number of times.
   * Every operation inside must be given the session. Rejects with what the last try rejected with.
   */
  readonly transaction: <A>(work: (session: ClientSession) => Promise<A>) => Promise<A>;
  /** The server answers a ping, within two seconds. */
  readonly healthy: () => Promise<boolean>;
  readonly close: () => Promise<void>;
};
