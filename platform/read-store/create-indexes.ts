import { type Db, type IndexDescription, MongoServerError } from 'mongodb';

export type Indexes = ReadonlyMap<string, readonly IndexDescription[]>;

const NAMESPACE_EXISTS = 48;

const createCollection = async (db: Db, name: string): Promise<void> => {
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
};

/** Idempotent. Creates collections before any transaction writes to them. */
export const createIndexes = async (db: Db, indexes: Indexes): Promise<void> => {
  const existing = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  for (const [name, wanted] of indexes) {
    if (!existing.has(name)) await createCollection(db, name);
    if (wanted.length > 0) await db.collection(name).createIndexes([...wanted]);
  }
};
