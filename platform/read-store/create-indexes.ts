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

/** The names of indexes by collection. */
export type IndexNames = ReadonlyMap<string, readonly string[]>;

const INDEX_NOT_FOUND = 27;

const dropIndex = async (db: Db, collection: string, name: string): Promise<void> => {
  try {
    await db.collection(collection).dropIndex(name);
  } catch (error) {
    // Another process dropped it first.
    if (!(error instanceof MongoServerError && error.code === INDEX_NOT_FOUND)) throw error;
  }
};

/** Drops the indexes that exist. The collections must exist. */
export const dropIndexes = async (db: Db, indexes: IndexNames): Promise<void> => {
  for (const [collection, obsolete] of indexes) {
    const existing = new Set((await db.collection(collection).indexes()).map(({ name }) => name));
    for (const name of obsolete.filter((one) => existing.has(one))) await dropIndex(db, collection, name);
  }
};
