import type { AccountRetention } from './entities.ts';
import type { DownloadNameSource } from './events.ts';

export const RETAINED_RENDER_DATA = ['outputs', 'media'] as const;

export const RETENTION_KINDS = [...RETAINED_RENDER_DATA, 'deliveries'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** The longest default retention of answers to deliveries, and the longest that an account can set. */
export const MAX_DELIVERY_RETENTION_DAYS = 30;

/** 100 years. */
export const MAX_RETENTION_DAYS = 36_500;

const DAY_MS = 86_400_000;

/**
 * See `AccountRetention.outputs_gone_until`.
 *
 * @param retention null if the account has no settings
 * @param now ms since the epoch
 */
export const outputsDeletedUntil = (
  retention: Pick<AccountRetention, 'outputs' | 'outputs_gone_until'> | null,
  now: number,
): number => {
  if (retention === null) return 0;
  const { outputs, outputs_gone_until } = retention;
  return outputs === null ? outputs_gone_until : Math.max(outputs_gone_until, now - outputs * DAY_MS);
};

export const downloadNameSourceOf = (
  retention: Pick<AccountRetention, 'downloads_named_by'> | null,
): DownloadNameSource => retention?.downloads_named_by ?? 'name';
