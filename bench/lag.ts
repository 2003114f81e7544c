import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { SeededEntities } from '../demo/seeded.ts';
import type { RenderRequested } from '../domain/render/events.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { pollUntil } from '../stack/testing/until.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { renderRequested } from './render-requested.ts';
import { sealNames } from './sealed-requests.ts';

const PER_SECOND = 200;
const SECONDS = 30;
/** The warm-up is not counted, because new code is being compiled. */
const WARM_UP_S = 5;
const TICK_MS = 50;

const event = ({ account_id, team_id }: SeededEntities): RenderRequested =>
  renderRequested({ render_id: `rend_${ulid()}`, account_id, team_id });

/**
 * Appends events at a fixed rate. The lag of an event is the append time of its record in `render-status` minus its
 * own. This is an upper bound, because the record is published after the read model's transaction. The broker sets both
 * times.
 */
export const benchLag = async (
  stack: Stack,
  seeded: SeededEntities,
  { records }: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const ends = await records.log.bounds('render-status');
  const counted = new Set<string>();
  const lags: number[] = [];
  // Before the load, so that the appends do not wait for key trees.
  const requests = await sealNames(
    stack,
    Array.from({ length: PER_SECOND * (WARM_UP_S + SECONDS) }, () => event(seeded)),
  );
  const subscription = await records.log.subscribe({
    group: `bench-${ulid()}`,
    topics: ['render-status'],
    concurrency: 4,
    position: async (_, partition) => ends.find((bounds) => bounds.partition === partition)?.end ?? 0,
    on_batch: async (batch) => {
      for (const { value, append_time_ms } of batch.records) {
        const decoded = await records.decode(value);
        if (decoded.tag !== 'record' || decoded.record.type !== 'RenderFactAccepted') continue;
        if (counted.has(decoded.record.render_id)) lags.push(append_time_ms - decoded.record.appended_at);
      }
    },
  });
  try {
    const began = performance.now();
    for (let count = 0; count < PER_SECOND * (WARM_UP_S + SECONDS); ) {
      const due = Math.min(
        PER_SECOND * (WARM_UP_S + SECONDS),
        Math.floor(((performance.now() - began) * PER_SECOND) / 1000),
      );
      for (; count < due; count += 1) {
        const request = requests[count];
        if (request === undefined) break;
        if (count >= PER_SECOND * WARM_UP_S) counted.add(request.render_id);
        void records.append('render-events', request.render_id, request).then((appended) => {
          if (E.isLeft(appended)) throw new Error(appended.left.message);
        });
      }
      await pause(TICK_MS / 10);
    }
    await pollUntil('every event is published', async () => lags.length >= counted.size, 60_000);
    const figure = `p50 ${millisecondsText(quantile(lags, 0.5))}, p99 ${millisecondsText(quantile(lags, 0.99))}, most ${millisecondsText(Math.max(...lags))}`;
    return [
      [`append to read model, sealed, ${PER_SECOND} events/s, ${counted.size} events`, figure, 'p99 under 100 ms'],
    ];
  } finally {
    await subscription.stop();
  }
};
