import type { Db } from 'mongodb';
import type { LedgerShare } from '../../domain/credits/balance.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { servingRenders } from './model.ts';
import { NEVER_MS, readWatermarks } from './watermarks.ts';

export type CountedRenders = {
  /** By partition: events at or above these offsets are not counted. */
  readonly folded: ReadonlyMap<number, number>;
  readonly open: number;
};

/** Lag of the ledger in the partition of a render, ms; infinity if no projector has reported it yet. */
export type LedgerLag = (render_id: string) => number;

/** The ledger of one account. All times are by the clock of the store. */
export type LedgerView = {
  /** One for each partition with renders of the account. */
  readonly shares: readonly LedgerShare[];
  /** When the read began, ms; null if no projector has reported its position. */
  readonly read_at: number | null;
  /**
   * Everything that was appended before is in the shares of every partition, ms; negative infinity without a report.
   */
  readonly caught_up_at: number;
  /** The same for the partition of one render. */
  readonly folded_until: FoldedUntil;
};

/** The renders of one account together. All reject when the store does not answer. */
export type AccountRenders = {
  /**
   * Renders that are neither complete nor failed.
   *
   * @returns at most `most`
   */
  readonly countOpen: (account_id: string, most: number) => Promise<CountedRenders>;
  /** Null while there is no ledger. */
  readonly ledger: (account_id: string) => Promise<LedgerView | null>;
  /** Lag of the ledger of all accounts; null before a projector's report. Zero without a ledger. */
  readonly ledgerLag: () => Promise<LedgerLag | null>;
};

/** The first version of the read model with a ledger. */
export const LEDGER_SINCE = 2;

export const openAccountRenders = (db: Db): AccountRenders => {
  const serving = servingRenders(db);
  return {
    countOpen: async (account_id, most) => {
      const { renders, checkpoints } = await serving();
      // Read first: events folded since are counted twice for a moment, and never missed.
      const folded = await checkpoints.find({}, queryTimeout()).toArray();
      const open = await renders.countDocuments({ account_id, open: true }, { limit: most, ...queryTimeout() });
      return { folded: new Map(folded.map(({ _id, next }) => [_id, next])), open };
    },

    ledger: async (account_id) => {
      const model = await serving();
      if (model.model_version < LEDGER_SINCE) return null;
      // Read first, and of the same generation: the ledger then has everything below the watermarks.
      const { marks, read_at } = await readWatermarks(model);
      return {
        read_at,
        caught_up_at: marks.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...marks.map(({ at }) => at)),
        // Every partition has its watermark before any of them has a time, so their number is the number of partitions.
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
        return at > NEVER_MS ? read_at - at : Number.POSITIVE_INFINITY;
      };
    },
  };
};
