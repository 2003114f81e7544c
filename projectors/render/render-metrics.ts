import { Counter } from 'prom-client';
import { boundedLabel } from '../../platform/metrics/bounded-label.ts';
import { durationHistogram, LONG_DURATION_BUCKETS_S, type Metrics } from '../../platform/metrics/metrics.ts';
import type { StatusToPublish } from './status-record.ts';

export type RenderMetrics = {
  /** Called at the first publishing of an accepted event (ADR 48). */
  readonly accepted: (published: Pick<StatusToPublish, 'record' | 'event' | 'status_since'>) => void;
};

const OUTCOMES = ['complete', 'failed'] as const;
/** The maximum number of failure codes, because each code is a time series. No version has as many. */
const MAX_CODES = 100;
const MAX_STAGES = 10;

/** No label has an account, render or project, because their number is unlimited. */
export const createRenderMetrics = (metrics: Metrics): RenderMetrics => {
  const registers = [metrics];
  const ended = new Counter({
    name: 'renders_total',
    help: 'Finished renders, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  // The series starts at 0, so that the first failure is an increase.
  for (const outcome of OUTCOMES) ended.inc({ outcome }, 0);
  const failures = new Counter({
    name: 'render_failures_total',
    help: 'Failed renders, by stage and code',
    labelNames: ['stage', 'code'],
    registers,
  });
  const times = durationHistogram(
    metrics,
    'render_status_duration_seconds',
    'Time that renders spent in each status',
    ['status'],
    LONG_DURATION_BUCKETS_S,
  );
  const losses = new Counter({
    name: 'render_attempts_lost_total',
    help: 'Lost attempts, by reason and detail',
    labelNames: ['reason', 'detail'],
    registers,
  });
  const [stageOf, codeOf, reasonOf, detailOf] = [
    boundedLabel(MAX_STAGES),
    boundedLabel(MAX_CODES),
    boundedLabel(MAX_STAGES),
    boundedLabel(MAX_CODES),
  ];

  return {
    accepted: ({ record: { transition, render }, event, status_since }) => {
      if (transition !== null && transition.from !== null && status_since !== null)
        times.observe({ status: transition.from }, (transition.at - status_since) / 1_000);
      switch (event.type) {
        case 'RenderCompleted':
          return ended.inc({ outcome: 'complete' });
        case 'RenderFailed':
          ended.inc({ outcome: 'failed' });
          // The event of a cancellation may have an earlier stage than the fold.
          return failures.inc({ stage: stageOf(render.failure?.stage ?? event.stage), code: codeOf(event.code) });
        case 'AttemptLost':
          return losses.inc({
            reason: reasonOf(event.reason),
            detail: event.detail === null ? 'none' : detailOf(event.detail),
          });
        default:
      }
    },
  };
};
