import type { Db } from 'mongodb';
import type { LedgerShare } from '../../domain/credits/balance.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { WatermarkDocument } from './documents.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { type RenderModel, servingRenders } from './model.ts';

export type CountedRenders = {
  /** What is not below these offsets, by partition, is not counted. */
  readonly folded: ReadonlyMap<number, number>;
  readonly open: number;
};

/** The ledger of one account. */
export type LedgerView = {
  /** One for each partition that has renders of the account. */
  readonly shares: readonly LedgerShare[];
  /** All that was appended before is in them, in every partition, ms; negative infinity where no projector has said. */
  readonly caught_up_at: number;
  /** The same of the partition of one render. */
  readonly folded_until: FoldedUntil;
};

/** The renders of one account taken together. All reject when the store does not answer. */
export type AccountRenders = {
  /** Those that are neither complete nor failed. @returns at most `most` */
  readonly countOpen: (account_id: string, most: number) => Promise<CountedRenders>;
  /** Null while there is no ledger to go by. */
  readonly ledger: (account_id: string) => Promise<LedgerView | null>;
  /**
   * Up to when the ledger of all accounts is folded, by the partition of a render; null before a projector has said it,
   * infinity without one.
   */
  readonly ledgerFoldedUntil: () => Promise<FoldedUntil | null>;
};

/** The version of the read model that has a ledger first. */
export const LEDGER_SINCE = 2;

/** Every partition has its watermark before any of them says a time: so their number is that of the partitions. */
const watermarksOf = async ({ caught_up }: RenderModel): Promise<readonly WatermarkDocument[]> =>
  await caught_up.find({}, queryTimeout()).toArray();

export const openAccountRenders = (db: Db): AccountRenders => {
  const serving = servingRenders(db);
  return {
    countOpen: async (account_id, most) => {
      const { renders, checkpoints } = await serving();
      // Read first: what was folded since is counted twice for a moment, and never not at all.
      const folded = await checkpoints.find({}, queryTimeout()).toArray();
      const open = await renders.countDocuments({ account_id, open: true }, { limit: most, ...queryTimeout() });
      return { folded: new Map(folded.map(({ _id, next }) => [_id, next])), open };
    },

    ledger: async (account_id) => {
      const model = await serving();
      if (model.model_version < LEDGER_SINCE) return null;
      // Read first, and of the same generation: what it speaks of is in the ledger then.
      const marks = await watermarksOf(model);
      return {
        caught_up_at: marks.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...marks.map(({ at }) => at)),
        folded_until: foldedUntil(marks, marks.length),
        shares: await model.ledger.find({ account_id }, queryTimeout()).toArray(),
      };
    },

    ledgerFoldedUntil: async () => {
      const model = await serving();
      if (model.model_version < LEDGER_SINCE) return () => Number.POSITIVE_INFINITY;
      const marks = await watermarksOf(model);
      return marks.length === 0 ? null : foldedUntil(marks, marks.length);
    },
  };
};
