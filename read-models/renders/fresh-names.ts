import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { SaltedName } from '../../schemas/blobs/salted-name.ts';
import { COLLECTIONS } from '../collections.ts';

/** `fresh_names`: the name of a recently requested render of fold version 3; `_id` is the render's. Expires. */
export type FreshNameDocument = {
  readonly _id: string;
  readonly name: string;
  readonly salt: string;
  readonly at: Date;
};

/**
 * Names of renders that are being requested, so that projectors need not read each from the blob store. Only renders of
 * fold version 3 have names in payloads. Entries may be lost at any time. Readers check them against the hash in the
 * log.
 */
export type RequestedNameCache = {
  /** Never rejects. A later name of the same render is ignored. */
  readonly note: (render_id: string, named: SaltedName) => Promise<void>;
  readonly find: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>;
};

const MAX_AT_ONCE = 200;
const MAX_WAITING = 10_000;
/** A name that waited longer is not written: by then its event may be folded, and its render erased. */
const MAX_WAIT_MS = 2_000;

export const openRequestedNameCache = (db: Db, now: () => number): RequestedNameCache => {
  const names = db.collection<FreshNameDocument>(COLLECTIONS.fresh_names);
  let waiting: FreshNameDocument[] = [];
  let writing: Promise<void> = Promise.resolve();

  /** Writes all names that arrived during the last write as one batch. */
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
