import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { outputsDeletedUntil } from '../../domain/catalogue/retention.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { CompletedCounts } from '../../read-models/renders/completed-counts.ts';
import type { OutputDeletion, OutputDeletions } from '../../read-models/retention/output-deletions.ts';

export type ShareLimit = {
  readonly max_share_percent: number;
  /** The share is checked only if more than this number of renders would lose their outputs. */
  readonly share_min_renders: number;
};

export type OutputLimitDependencies = {
  readonly deletions: OutputDeletions;
  readonly completed: CompletedCounts;
  readonly limit: ShareLimit;
  readonly leftovers_ms: number;
  /** When the last sweep of a version without this limit ended, ms; null without one. */
  readonly unlimitedUntil: () => Promise<number | null>;
  readonly warn: Warn;
};

/**
 * For each account, the time (ms) up to which outputs may be deleted: those of renders that ended later stay. Accounts
 * without a time keep all outputs.
 */
export type OutputLimits = (
  retentions: ReadonlyMap<string, AccountRetention>,
  now: number,
) => Promise<ReadonlyMap<string, number>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const exceedsDeletionShare = (
  going: number,
  all: number,
  { max_share_percent, share_min_renders }: ShareLimit,
): boolean => going > share_min_renders && going * 100 > all * max_share_percent;

/**
 * Raises the time up to which outputs may be deleted. If too large a share would go at once, it raises an alarm
 * instead, before anything is deleted. Concurrent sweeps may decide differently, but each counts from a time before
 * which outputs are already gone.
 */
export const openOutputLimits = (parts: OutputLimitDependencies): OutputLimits => {
  const { deletions, completed, limit, leftovers_ms, unlimitedUntil, warn } = parts;
  const goneUntil = (retention: AccountRetention, now: number): number =>
    outputsDeletedUntil(retention, now - leftovers_ms);

  const firstOf = async (retention: AccountRetention, now: number): Promise<OutputDeletion> => {
    const swept_at = await unlimitedUntil();
    // That sweep may have read the time a day before it ended, so this subtracts a day.
    const until = swept_at === null ? 0 : Math.max(0, goneUntil(retention, Math.min(now, swept_at) - DAY_MS));
    return { until, alarm: null };
  };

  const limitOf = async (account_id: string, retention: AccountRetention, now: number): Promise<number> => {
    // The time advances in steps of an hour, so that not every page needs a count.
    const wanted = Math.floor(goneUntil(retention, now) / HOUR_MS) * HOUR_MS;
    if (wanted <= 0) return 0;
    const { until, alarm } = (await deletions.load(account_id)) ?? (await firstOf(retention, now));
    if (wanted <= until) {
      if (alarm !== null) await deletions.save(account_id, { until, alarm: null });
      return wanted;
    }
    const going = await completed(account_id, { since: until + 1, until: wanted + 1 });
    const counts_all = going > limit.share_min_renders;
    const all = counts_all ? await completed(account_id, { since: until + 1, until: null }) : going;
    if (!(counts_all && exceedsDeletionShare(going, all, limit))) {
      await deletions.save(account_id, { until: wanted, alarm: null });
      return wanted;
    }
    await deletions.save(account_id, { until, alarm: { until: wanted, renders: going, of: all, at: now } });
    warn(
      { account_id, renders: going, of: all },
      'outputs of many renders of one account would be deleted at once: they are kept until an operator approves it (renderctl retention list)',
    );
    return until;
  };

  return async (retentions, now) => {
    const limits = new Map<string, number>();
    for (const [account_id, retention] of retentions) {
      const until = await limitOf(account_id, retention, now).catch((error: unknown) => {
        warn({ account_id, error }, 'the outputs of an account are kept, as its renders cannot be counted');
        return 0;
      });
      limits.set(account_id, until);
    }
    return limits;
  };
};
