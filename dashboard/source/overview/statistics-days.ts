import type { Schemas } from '../api/client.ts';

type Statistics = Schemas['Statistics'];
export type Day = Statistics['data'][number];

export const DAY_MS = 86_400_000;
/** The refetch interval while no changes arrive. */
export const OVERVIEW_EVERY_MS = 10_000;

/** The beginning of the UTC day from which this many days are shown, today included. */
export const firstDay = (now: number, days: number): number => (Math.floor(now / DAY_MS) - days + 1) * DAY_MS;

const emptyDay = (at: number): Day => ({
  ...{ at, requested: 0, completed: 0, failed: 0, failures: [], charged_credits: 0 },
  wait: { p50_ms: null, p95_ms: null },
  duration: { p50_ms: null, p95_ms: null },
});

/** Adds the days without renders. */
export const everyDay = ({ since, until, data }: Pick<Statistics, 'since' | 'until' | 'data'>): readonly Day[] => {
  const first = Math.floor(since / DAY_MS);
  const last = Math.ceil(until / DAY_MS);
  const known = new Map(data.map((day) => [day.at, day]));
  return Array.from({ length: last - first }, (_, index) => {
    const at = (first + index) * DAY_MS;
    return known.get(at) ?? emptyDay(at);
  });
};

export const CANCELLED = 'cancelled';

/** The statistics count cancelled renders as failed ones, with a code. */
export const cancelledOf = ({ failures }: Pick<Day, 'failures'>): number =>
  failures.find(({ code }) => code === CANCELLED)?.count ?? 0;

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const dayText = ({ at }: Pick<Day, 'at'>): string => day.format(at);
