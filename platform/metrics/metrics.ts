import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

/** The library's default of 10 ms would wake an idle process needlessly. */
const EVENT_LOOP_PRECISION_MS = 200;

/** Buckets for requests, batches and appends. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Buckets for waiting and running times of renders. */
export const LONG_DURATION_BUCKETS_S = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800, 43_200,
];

export const createMetrics = (component: string): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ component });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  return registry;
};

/** By convention, the name ends in `_seconds`. */
export const durationHistogram = <L extends string>(
  metrics: Metrics,
  name: string,
  help: string,
  labelNames: readonly L[],
  buckets: readonly number[] = DURATION_BUCKETS_S,
): Histogram<L> => {
  const known = metrics.getSingleMetric(name);
  if (known instanceof Histogram) return known;
  return new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [metrics] });
};

export type GaugeSample<L extends string> = {
  readonly labels: Readonly<Record<L, string | number>>;
  readonly value: number;
};

/** Measured on each scrape. A failed measurement is omitted. */
export const sampledGauge = <L extends string>(
  metrics: Metrics,
  name: string,
  help: string,
  labelNames: readonly L[],
  measure: () => Promise<readonly GaugeSample<L>[]>,
): Gauge<L> =>
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [metrics],
    async collect() {
      this.reset();
      for (const { labels, value } of await measure().catch(() => [])) this.set(labels, value);
    },
  });
