import type { RenderStatus } from '../../domain/render/render.ts';
import type { RenderCounts } from '../../domain/statistics/hours.ts';

/** Whose renders: of a whole account, or of one team of it. */
export type StatisticsScope = { readonly account_id: string; readonly team_id: string | null };

/** What was never counted is absent. */
type Counted = Partial<RenderCounts>;

/**
 * `render_statistics_g<generation>`: of an account or a team, and of one partition, either a UTC day or how its renders
 * are now. Readers add those of all partitions.
 */
export type StatisticsDocument = StatisticsScope & {
  /** `<by_day>/<partition>`. */
  readonly _id: string;
  /** `["<account>",<team>]:<6-digit days since the epoch>`, or `…:now`. */
  readonly by_day: string;
  readonly partition: number;
  /** Offset of the last event that counts in it. */
  readonly offset: number;
  /** By hour, `00` to `23`; of a day alone. */
  readonly hours?: Readonly<Record<string, Counted>>;
  /** Renders that are in each status; of `now` alone. */
  readonly statuses?: Readonly<Partial<Record<RenderStatus, number>>>;
};
