import type { RenderStatus } from '../../domain/render/render.ts';
import type { RenderCounts } from '../../domain/statistics/hours.ts';

export type StatisticsScope = { readonly account_id: string; readonly team_id: string | null };

/** Counts of zero are absent. */
type Counted = Partial<RenderCounts>;

/**
 * `render_statistics_g<generation>`: an account or a team, one partition, and either a UTC day or the current statuses.
 * Readers add the documents of all partitions.
 */
export type StatisticsDocument = StatisticsScope & {
  readonly _id: string;
  /** `["<account>",<team>]:<6-digit days since the epoch>`, or `…:now`. */
  readonly by_day: string;
  readonly partition: number;
  readonly offset: number;
  readonly hours?: Readonly<Record<string, Counted>>;
  readonly statuses?: Readonly<Partial<Record<RenderStatus, number>>>;
};
