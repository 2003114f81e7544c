/**
 * The result of a row: the status of its render, or one of these:
 * - `invalid`: the row has a fault
 * - `refused`: the service refused the row
 * - `not_asked`: the batch ended before the row was requested
 * - `unanswered`: the batch ended before the answer arrived
 */
export type RowResult = {
  readonly row: number;
  readonly line: number;
  readonly render_id: string | null;
  readonly status: string;
  readonly error: string | null;
  /** A signed URL of the master, valid for a limited time; null until the render is complete. */
  readonly url: string | null;
  /** The render existed before this batch requested it. */
  readonly found: boolean;
};

/** The number of rows by result. `under_way`: renders that the batch did not wait for. */
export type Counts = {
  readonly rows: number;
  readonly complete: number;
  readonly failed: number;
  readonly refused: number;
  readonly invalid: number;
  readonly not_asked: number;
  /** Requests that were cut off before the answer: the render may exist. */
  readonly unanswered: number;
  readonly under_way: number;
  readonly found: number;
};

const ENDS = ['complete', 'failed', 'refused', 'invalid', 'not_asked', 'unanswered'] as const;

export const countsOf = (results: readonly RowResult[]): Counts => {
  const of = (status: string): number => results.filter((result) => result.status === status).length;
  const counts = { complete: 0, failed: 0, refused: 0, invalid: 0, not_asked: 0, unanswered: 0 };
  for (const end of ENDS) counts[end] = of(end);
  const ended = ENDS.reduce((sum, end) => sum + counts[end], 0);
  return {
    rows: results.length,
    ...counts,
    under_way: results.length - ended,
    found: results.filter(({ found }) => found).length,
  };
};

const WORDS: readonly (readonly [keyof Counts, string])[] = [
  ['complete', 'complete'],
  ['under_way', 'in progress'],
  ['failed', 'failed'],
  ['refused', 'refused by the service'],
  ['invalid', 'invalid in the file'],
  ['unanswered', 'requested without an answer'],
  ['not_asked', 'not requested'],
];

/** `20 rows: 19 complete, 1 invalid in the file (12 requested before)` */
export const countsText = (counts: Counts): string => {
  const parts = WORDS.filter(([which]) => counts[which] > 0).map(([which, word]) => `${counts[which]} ${word}`);
  const found = counts.found === 0 ? '' : ` (${counts.found} requested before)`;
  return `${counts.rows} ${counts.rows === 1 ? 'row' : 'rows'}: ${parts.join(', ')}${found}`;
};
