import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { foldedBelow } from '../checkpoint.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

/** Paths of e-mail addresses in Blob, in the read model at one moment. */
export type FoldedEmails = {
  /** Every event of the catalogue below is folded. */
  readonly next: number;
  /** Paths by user; users without an address are missing. */
  readonly paths: ReadonlyMap<string, string>;
};

const PARTITION = 0;
const MAX_AT_ONCE = 500;

/** Rejects while the store does not answer. */
export const openUserEmails = (db: Db) => {
  const serving = servingCatalogue(db);
  return async (user_ids: readonly string[]): Promise<FoldedEmails> => {
    const { checkpoints, entities } = await serving();
    // First the checkpoint: everything below it is then in the documents.
    const next = foldedBelow(await checkpoints.findOne({ _id: PARTITION }, queryTimeout()));
    const paths = new Map<string, string>();
    for (let from = 0; from < user_ids.length; from += MAX_AT_ONCE) {
      const _id = { $in: user_ids.slice(from, from + MAX_AT_ONCE) };
      const users = await entities('user').find({ _id }, queryTimeout()).toArray();
      for (const { id, email } of users.map(entityOf)) if (email !== null) paths.set(id, email.path);
    }
    return { next, paths };
  };
};
