import type { LedgerShare } from '../../domain/credits/balance.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ServingRenders } from './model.ts';

export type CountedRenders = {
  /** What is not below these offsets, by partition, is not counted. */
  readonly folded: ReadonlyMap<number, number>;
  readonly open: number;
};

/** The renders of one account taken together. Both reject when the store does not answer. */
export type AccountRenders = {
  /** Those that are neither complete nor failed. @returns at most `most` */
  readonly countOpen: (account_id: string, most: number) => Promise<CountedRenders>;
  /** One for each partition that has renders of the account; null while there is no ledger to go by. */
  readonly ledgerShares: (account_id: string) => Promise<readonly LedgerShare[] | null>;
};

/** The version of the read model that has a ledger first. */
export const LEDGER_SINCE = 2;

export const openAccountRenders = (serving: ServingRenders): AccountRenders => ({
  countOpen: async (account_id, most) => {
    const { renders, checkpoints } = await serving();
    // Read first: what was folded since is counted twice for a moment, and never not at all.
    const folded = await checkpoints.find({}, queryTimeout()).toArray();
    const open = await renders.countDocuments({ account_id, open: true }, { limit: most, ...queryTimeout() });
    return { folded: new Map(folded.map(({ _id, next }) => [_id, next])), open };
  },

  ledgerShares: async (account_id) => {
    const { ledger, model_version } = await serving();
    return model_version < LEDGER_SINCE ? null : await ledger.find({ account_id }, queryTimeout()).toArray();
  },
});
