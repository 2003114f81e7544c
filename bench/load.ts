import autocannon from 'autocannon';
import { millisecondsText } from './figures.ts';

export const CONNECTIONS = 32;
const WARM_UP_S = 2;

export type LoadResult = {
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly refused: number;
};

export type LoadRequests = {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly paths?: readonly string[];
  /** Ends the load after this many requests, whatever the duration. */
  readonly amount?: number;
};

/** Sends requests on 32 connections, one at a time on each. The warm-up is not counted. */
export const runLoad = async (
  { paths = [], ...requests }: LoadRequests,
  duration_s: number,
  warm_up_s: number = WARM_UP_S,
): Promise<LoadResult> => {
  const run = async (duration: number) => {
    const began = performance.now();
    let last = began;
    const result = await autocannon({
      ...requests,
      connections: CONNECTIONS,
      duration,
      ...(paths.length === 0 ? {} : { requests: paths.map((path) => ({ path })) }),
      // Measures the duration up to the last response, because autocannon checks its own clock only once a second.
      setupClient: (client) =>
        void client.on('response', () => {
          last = performance.now();
        }),
    });
    return { ...result, took_s: (last - began) / 1_000 };
  };
  if (warm_up_s > 0) await run(warm_up_s);
  const { '2xx': accepted, non2xx, errors, took_s, latency } = await run(duration_s);
  return { per_second: accepted / took_s, p50_ms: latency.p50, p99_ms: latency.p99, refused: non2xx + errors };
};

export const loadResultText = ({ per_second, p50_ms, p99_ms, refused }: LoadResult): string =>
  `${per_second.toFixed(0)}/s, p50 ${millisecondsText(p50_ms)}, p99 ${millisecondsText(p99_ms)}, ${refused} refused`;
