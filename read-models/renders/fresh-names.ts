import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { SaltedName } from '../../schemas/blobs/salted-name.ts';
import { COLLECTIONS } from '../collections.ts';

/** `fresh_names`: expires; `_id` is the render's. */
export type FreshNameDocument = {
  readonly _id: string;
  readonly name: string;
  readonly salt: string;
  readonly at: Date;
};

/**
 * Names of renders that are being requested, for projectors, so that they need not read each from Blob, which stores
 * them. They may be lost at any time, and readers check them against the hash in the log.
 */
export type FreshNames = {
  /** Never rejects; the first one of a render stays. */
  readonly note: (render_id: string, named: SaltedName) => Promise<void>;
  /** Rejects when the store does not answer. */
  readonly find: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>;
};

const MAX_AT_ONCE = 200;
/** Max. notes that wait for a slow store; further ones are dropped. */
const MAX_WAITING = 10_000;
/** A note that waited longer is dropped: its event may be folded by then, and its render erased. */
const MAX_WAIT_MS = 2_000;

/**
 * @param now ms since the epoch
 */
export const openFreshNames = (db: Db, now: () => number): FreshNames => {
  const names = db.collection<FreshNameDocument>(COLLECTIONS.fresh_names);
  let waiting: FreshNameDocument[] = [];
  let writing: Promise<void> = Promise.resolve();

  /** Notes that arrived during the last write go together. */
  const write = async (): Promise<void> => {
    const useful = waiting.filter(({ at }) => now() - at.getTime() < MAX_WAIT_MS);
    const batch = useful.slice(0, MAX_AT_ONCE);
    waiting = useful.slice(MAX_AT_ONCE);
    if (batch.length === 0) return;
    await names.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } }).catch(() => undefined);
  };

  return {
    note: (_id, { name, salt }) => {
      if (waiting.length >= MAX_WAITING) return writing;
      waiting.push({ _id, name, salt, at: new Date(now()) });
      writing = writing.then(write);
      return writing;
    },
    find: async (ids) => {
      const found = await names.find({ _id: { $in: [...ids] } }, queryTimeout()).toArray();
      return new Map(found.map(({ _id, name, salt }) => [_id, { name, salt }]));
    },
  };
};
