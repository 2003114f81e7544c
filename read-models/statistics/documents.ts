import type { RenderStatus } from '../../domain/render/render.ts';
import type { RenderCounts } from '../../domain/statistics/hours.ts';

/** A whole account, or one team of it. */
export type StatisticsScope = { readonly account_id: string; readonly team_id: string | null };

/** Counts of zero are absent. */
type Counted = Partial<RenderCounts>;

/**
 * `render_statistics_g<generation>`: of an account or a team, and of one partition, either a UTC day or the current
 * statuses. Readers add those of all partitions.
 */
export type StatisticsDocument = StatisticsScope & {
  /** `<by_day>/<partition>`. */
  readonly _id: string;
  /** `["<account>",<team>]:<6-digit days since the epoch>`, or `…:now`. */
  readonly by_day: string;
  readonly partition: number;
  /** Offset of the last event that counts in it. */
  readonly offset: number;
  /** By hour, `00` to `23`; only of a day. */
  readonly hours?: Readonly<Record<string, Counted>>;
  /** Renders in each status; only of `now`. */
  readonly statuses?: Readonly<Partial<Record<RenderStatus, number>>>;
};
