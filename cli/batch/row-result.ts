/**
 * `status` is the status of the render, or one of these:
 * - `invalid`: the row has a fault
 * - `refused`: the service refused the row
 * - `not_asked`: the batch ended before the row was requested
 * - `unanswered`: the batch ended before the response arrived
 */
export type RowResult = {
  readonly row: number;
  readonly line: number;
  readonly render_id: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly url: string | null;
  /** The render existed before this batch requested it. */
  readonly found: boolean;
};

/** Number of rows by result. `under_way` counts rows whose renders the batch did not wait for. */
export type RowCounts = {
  readonly rows: number;
  readonly complete: number;
  readonly failed: number;
  readonly refused: number;
  readonly invalid: number;
  readonly not_asked: number;
  /** The connection ended before the response, so the render may exist. */
  readonly unanswered: number;
  readonly under_way: number;
  readonly found: number;
};

const ENDS = ['complete', 'failed', 'refused', 'invalid', 'not_asked', 'unanswered'] as const;

export const countRows = (results: readonly RowResult[]): RowCounts => {
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

const WORDS: readonly (readonly [keyof RowCounts, string])[] = [
  ['complete', 'complete'],
  ['under_way', 'in progress'],
  ['failed', 'failed'],
  ['refused', 'refused by the service'],
  ['invalid', 'invalid in the file'],
  ['unanswered', 'without a response from the service'],
  ['not_asked', 'not requested'],
];

/** `20 rows: 19 complete, 1 invalid in the file (12 already requested)` */
export const rowCountsText = (counts: RowCounts): string => {
  const parts = WORDS.filter(([which]) => counts[which] > 0).map(([which, word]) => `${counts[which]} ${word}`);
  const found = counts.found === 0 ? '' : ` (${counts.found} already requested)`;
  return `${counts.rows} ${counts.rows === 1 ? 'row' : 'rows'}: ${parts.join(', ')}${found}`;
};
