import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../domain/render/events.ts';
import { foldBatch } from '../projectors/render/fold-batch.ts';
import { renderCollectionsIn, servingRenders } from '../read-models/renders/model.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import type { BenchmarkResult } from './figures.ts';
import { lifecycleEntries, lifecycleEvents } from './render-lives.ts';
import { sealNames } from './sealed-requests.ts';

const LIVES_IN_MEMORY = 20_000;
const LIVES_IN_STORE = 2_000;
const RUN = 200;
const ROUNDS = 2;
const BOUND_MS = 300_000;

const perSecond = (count: number, took_ms: number): string => `${Math.round((count * 1_000) / took_ms)} events/s`;

const inMemory = (): string => {
  const entries = lifecycleEntries(LIVES_IN_MEMORY);
  const began = performance.now();
  let documents: Parameters<typeof foldBatch>[0] = new Map();
  for (let begin = 0; begin < entries.length; begin += RUN)
    documents = foldBatch(documents, entries.slice(begin, begin + RUN)).after.documents;
  return perSecond(entries.length, performance.now() - began);
};

/** Events per second of a projector that reads the log, including commits and publication. */
const inStore = async (
  stack: Stack,
  { records, store }: StackClients,
  events: readonly RenderEvent[],
): Promise<number> => {
  const projectors = stack.component('projectors');
  const { checkpoints } = renderCollectionsIn(store.db, (await servingRenders(store.db)()).generation);
  const folded = async (): Promise<number> =>
    (await checkpoints.find().toArray()).reduce((sum, { next }) => sum + Math.max(0, next), 0);
  const before = await folded();
  projectors.kill('SIGSTOP');
  try {
    for (let begin = 0; begin < events.length; begin += RUN) {
      const appends = events
        .slice(begin, begin + RUN)
        .map((event) => records.append('render-events', event.render_id, event));
      if (!(await Promise.all(appends)).every(E.isRight)) throw new Error('Kafka took no event');
    }
  } finally {
    projectors.kill('SIGCONT');
  }
  const ends = performance.now() + BOUND_MS;
  let first: { readonly at: number; readonly folded: number } | null = null;
  for (let now = await folded(); now < before + events.length; now = await folded()) {
    if (first === null && now > before) first = { at: performance.now(), folded: now };
    if (performance.now() > ends) throw new Error(`${now - before} of ${events.length} events were folded`);
    await pause(10);
  }
  const from = first ?? { at: performance.now(), folded: before };
  return ((before + events.length - from.folded) * 1_000) / (performance.now() - from.at);
};

/**
 * Events per second of complete renders: folded in memory, folded with render names in the log, and folded with
 * sealed names.
 */
export const benchFold = async (stack: Stack, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  let [inside, sealed] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    inside += await inStore(stack, clients, lifecycleEvents(LIVES_IN_STORE));
    sealed += await inStore(stack, clients, await sealNames(stack, lifecycleEvents(LIVES_IN_STORE)));
  }
  const figure = (sum: number): string => `${Math.round(sum / ROUNDS)} events/s`;
  return [
    ['fold, without the store', inMemory(), ''],
    ['fold, with the store and publication, one projector', figure(inside), ''],
    ['the same, sealed', `${figure(sealed)}: ${(sealed / inside).toFixed(2)}`, 'at least 0.8'],
  ];
};
