import type { Db } from 'mongodb';
import type { PartitionLedger } from '../../domain/credits/balance.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { servingRenders } from './model.ts';
import { NO_WATERMARK_MS, readWatermarks } from './watermarks.ts';

export type CountedRenders = {
  /** By partition, the offset below which all events are counted in `open`. */
  readonly folded: ReadonlyMap<number, number>;
  readonly open: number;
};

/** The lag in the partition of a render, ms; infinity if the partition has no watermark. */
export type LedgerLag = (render_id: string) => number;

/** The ledger of one account. All times are by the store's clock. */
export type LedgerView = {
  readonly shares: readonly PartitionLedger[];
  /** When the read began, ms; null without watermarks. */
  readonly read_at: number | null;
  /** The minimum of all watermarks, ms; negative infinity without watermarks. */
  readonly caught_up_at: number;
  readonly folded_until: FoldedUntil;
};

/** All functions reject on store outage. */
export type AccountRenders = {
  /** Counts the renders that are neither complete nor failed, up to `most`. */
  readonly countOpen: (account_id: string, most: number) => Promise<CountedRenders>;
  /** Null while there is no ledger. */
  readonly ledger: (account_id: string) => Promise<LedgerView | null>;
  /**
   * How far the ledgers of all accounts are behind the log. Null without watermarks; always 0 in a generation without a
   * ledger.
   */
  readonly ledgerLag: () => Promise<LedgerLag | null>;
};

export const LEDGER_SINCE = 2;

export const openAccountRenders = (db: Db): AccountRenders => {
  const serving = servingRenders(db);
  return {
    countOpen: async (account_id, most) => {
      const { renders, checkpoints } = await serving();
      // The checkpoints are read first: an event that is folded in between counts twice for a moment, but is never
      // missed.
      const folded = await checkpoints.find({}, queryTimeout()).toArray();
      const open = await renders.countDocuments({ account_id, open: true }, { limit: most, ...queryTimeout() });
      return { folded: new Map(folded.map(({ _id, next }) => [_id, next])), open };
    },

    ledger: async (account_id) => {
      const model = await serving();
      if (model.model_version < LEDGER_SINCE) return null;
      // The watermarks are read first, and from the same generation: the ledger then has everything below them.
      const { marks, read_at } = await readWatermarks(model);
      return {
        read_at,
        caught_up_at: marks.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...marks.map(({ at }) => at)),
        // The documents of all partitions are created before the first watermark, so their count is the number of
        // partitions.
        folded_until: foldedUntil(marks, marks.length),
        shares: await model.ledger.find({ account_id }, queryTimeout()).toArray(),
      };
    },

    ledgerLag: async () => {
      const model = await serving();
      if (model.model_version < LEDGER_SINCE) return () => 0;
      const { marks, read_at } = await readWatermarks(model);
      if (read_at === null) return null;
      const folded_until = foldedUntil(marks, marks.length);
      return (render_id) => {
        const at = folded_until(render_id);
        return at > NO_WATERMARK_MS ? read_at - at : Number.POSITIVE_INFINITY;
      };
    },
  };
};
