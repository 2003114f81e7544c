import { Counter } from 'prom-client';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';

export type EngineWork = {
  readonly frames_encoded: number;
  readonly frames_cached: number;
  readonly frames_helped: number;
  readonly engine_ms: number;
};

export type WorkerMetrics = {
  readonly rendered: (work: EngineWork) => void;
  readonly helped: (segments: number) => void;
};

export const workerMetrics = (
  metrics: Metrics,
  figures: () => { readonly running: number; readonly slots: number },
): WorkerMetrics => {
  sampledGauge(metrics, 'worker_attempts', 'Running attempts, and slots', ['state'], async () => {
    const { running, slots } = figures();
    return [
      { labels: { state: 'running' }, value: running },
      { labels: { state: 'slots' }, value: slots },
    ];
  });
  const frames = new Counter({
    name: 'worker_frames_total',
    help: 'Frames of compositions, by source',
    labelNames: ['source'],
    registers: [metrics],
  });
  const seconds = new Counter({
    name: 'worker_engine_seconds_total',
    help: 'Wall-clock time of encoding',
    registers: [metrics],
  });
  const helped = new Counter({
    name: 'worker_helped_segments_total',
    help: 'Segments of up to four seconds encoded for other workers',
    registers: [metrics],
  });
  return {
    helped: (segments) => helped.inc(segments),
    rendered: ({ frames_encoded, frames_cached, frames_helped, engine_ms }) => {
      frames.inc({ source: 'encoded' }, frames_encoded);
      frames.inc({ source: 'cached' }, frames_cached);
      frames.inc({ source: 'helped' }, frames_helped);
      seconds.inc(engine_ms / 1_000);
    },
  };
};
