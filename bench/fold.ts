import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { foldBatch } from '../projectors/render/fold-batch.ts';
import { renderModel, servingRenders } from '../read-models/renders/model.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import type { Figure } from './figures.ts';
import { eventsOfLives, livesOf } from './render-lives.ts';

const LIVES_IN_MEMORY = 20_000;
const LIVES_IN_STORE = 2_000;
/** As the projector folds them. */
const RUN = 200;
const BOUND_MS = 300_000;

const perSecond = (count: number, took_ms: number): string => `${Math.round((count * 1_000) / took_ms)} events/s`;

const inMemory = (): string => {
  const entries = livesOf(LIVES_IN_MEMORY);
  const began = performance.now();
  let documents: Parameters<typeof foldBatch>[0] = new Map();
  for (let begin = 0; begin < entries.length; begin += RUN)
    documents = foldBatch(documents, entries.slice(begin, begin + RUN)).after.documents;
  return perSecond(entries.length, performance.now() - began);
};

/** Whole lives of renders, folded alone, and by a projector that finds them in the log: with commits and publication. */
export const benchFold = async (stack: Stack, { records, store }: StackClients): Promise<readonly Figure[]> => {
  const projectors = stack.component('projectors');
  const events = eventsOfLives(LIVES_IN_STORE);
  const { checkpoints } = renderModel(store.db, (await servingRenders(store.db)()).generation);
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
  // It may be out of its group by now: counted is from the first event that it folds.
  const ends = performance.now() + BOUND_MS;
  let first: { readonly at: number; readonly folded: number } | null = null;
  for (let now = await folded(); now < before + events.length; now = await folded()) {
    if (first === null && now > before) first = { at: performance.now(), folded: now };
    if (performance.now() > ends) throw new Error(`${now - before} of ${events.length} events were folded`);
    await pause(10);
  }
  const from = first ?? { at: performance.now(), folded: before };
  return [
    ['fold, without the store', inMemory(), ''],
    [
      'fold, with the store and publication, one projector',
      perSecond(before + events.length - from.folded, performance.now() - from.at),
      '',
    ],
  ];
};
