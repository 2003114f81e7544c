import type { ClientSession, Db, MongoClient } from 'mongodb';

/**
 * The document store of the read models. Every write is journaled on a majority, and every read sees only such writes.
 */
export type ReadStore = {
  readonly db: Db;
  readonly client: MongoClient;
  /**
   * Runs `work` in one transaction. On a transient conflict it runs `work` again from the beginning, a limited number
   * of times. Every operation inside must get the session. Rejects with the error of the last try.
   */
  readonly transaction: <A>(work: (session: ClientSession) => Promise<A>) => Promise<A>;
  /** Whether the server answers a ping within two seconds. */
  readonly healthy: () => Promise<boolean>;
  readonly close: () => Promise<void>;
};
