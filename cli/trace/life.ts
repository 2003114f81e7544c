import type { Trace, TraceRow } from './trace.ts';

/** `to` and `ms` are null for the current status. Times in ms since the epoch. */
export type StatusSpan = {
  readonly status: string;
  readonly from: number;
  readonly to: number | null;
  readonly ms: number | null;
};

/** Converts status changes, ordered by time, to spans. */
export const statusSpansOf = (
  changes: readonly { readonly status: string; readonly at: number }[],
): readonly StatusSpan[] =>
  changes.map(({ status, at: from }, i) => {
    const to = changes[i + 1]?.at ?? null;
    return { status, from, to, ms: to === null ? null : to - from };
  });

export type AttemptSpan = {
  readonly attempt_id: string;
  readonly n: number;
  readonly worker_id: string;
  readonly assigned_at: number;
  readonly ended_at: number | null;
  readonly outcome: 'running' | 'lost' | 'complete' | 'failed';
  /** Why the attempt was lost, or why the render failed. */
  readonly reason: string | null;
};

export const statusSpans = ({ rows }: Trace): readonly StatusSpan[] =>
  statusSpansOf(
    rows.flatMap(({ transition }) => (transition === null ? [] : [{ status: transition.to, at: transition.at }])),
  );

const OUTCOMES: Readonly<Record<string, AttemptSpan['outcome']>> = {
  AttemptLost: 'lost',
  RenderCompleted: 'complete',
  RenderFailed: 'failed',
};

/**
 * If a render failed without naming an attempt, for example because it was cancelled, the failure ends the last
 * attempt.
 */
const endOf = (rows: readonly TraceRow[], attempt_id: string, is_last: boolean): TraceRow | undefined =>
  rows.find(
    (row) =>
      row.verdict === 'accepted' &&
      Object.hasOwn(OUTCOMES, row.type) &&
      (row.attempt_id === attempt_id || (is_last && row.attempt_id === null)),
  );

export const attemptSpans = ({ rows, render }: Trace): readonly AttemptSpan[] =>
  (render?.attempts ?? []).map(({ id: attempt_id, n, worker_id }, i, all) => {
    const begun = rows.findIndex((row) => row.verdict === 'accepted' && row.attempt_id === attempt_id);
    const end = endOf(rows.slice(begun), attempt_id, i === all.length - 1);
    return {
      ...{ attempt_id, n, worker_id },
      assigned_at: rows[begun]?.appended_at ?? 0,
      ended_at: end?.appended_at ?? null,
      outcome: OUTCOMES[end?.type ?? ''] ?? 'running',
      reason: end?.type === 'RenderCompleted' ? null : (end?.detail ?? null),
    };
  });

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `3 d 4 h`, `2 min 5 s`, `1.25 s`, `40 ms`. */
export const durationText = (ms: number): string => {
  const first = UNITS.findIndex(([, unit_ms]) => ms >= unit_ms);
  const [unit, unit_ms] = UNITS[first] ?? ['ms', 1];
  if (unit === 'ms') return `${ms} ms`;
  // Rounding may reach the next unit: 59,999 ms are a minute, not 60 s.
  if (unit === 's') return ms >= 59_995 ? '1 min' : `${Number((ms / 1_000).toFixed(2))} s`;
  const [smaller, smaller_ms] = UNITS[first + 1] ?? ['s', 1_000];
  const rest = Math.floor((ms % unit_ms) / smaller_ms);
  return `${Math.floor(ms / unit_ms)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
};

export const spansText = (spans: readonly StatusSpan[]): string =>
  spans.map(({ status, ms }) => (ms === null ? status : `${status} ${durationText(ms)}`)).join(', ');
