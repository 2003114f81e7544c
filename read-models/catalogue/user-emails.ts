import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { nextOffsetToFold } from '../checkpoint.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

export type FoldedEmails = {
  /** Every catalogue event below this offset is folded. */
  readonly next: number;
  /** Blob paths by user; users without an address are missing. */
  readonly paths: ReadonlyMap<string, string>;
};

const PARTITION = 0;
const MAX_AT_ONCE = 500;

/** Rejects on store outage. */
export const openUserEmails = (db: Db) => {
  const serving = servingCatalogue(db);
  return async (user_ids: readonly string[]): Promise<FoldedEmails> => {
    const { checkpoints, entities } = await serving();
    // The checkpoint is read first: the documents then include every event below it.
    const next = nextOffsetToFold(await checkpoints.findOne({ _id: PARTITION }, queryTimeout()));
    const paths = new Map<string, string>();
    for (let from = 0; from < user_ids.length; from += MAX_AT_ONCE) {
      const _id = { $in: user_ids.slice(from, from + MAX_AT_ONCE) };
      const users = await entities('user').find({ _id }, queryTimeout()).toArray();
      for (const { id, email } of users.map(entityOf)) if (email !== null) paths.set(id, email.path);
    }
    return { next, paths };
  };
};
