import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { createIndexes } from '../platform/read-store/create-indexes.ts';
import { readDocumentForm } from '../read-models/embedded/generation-form.ts';
import { requestRebuild } from '../read-models/rebuilds.ts';
import { renderCollectionsIn, renderIndexes, servingRenders } from '../read-models/renders/model.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import type { BenchmarkResult } from './figures.ts';
import { lifecycleEvents } from './render-lives.ts';
import { sealNames } from './sealed-requests.ts';

const LIVES = Number(process.env.LIVES ?? 5_000);
const APPENDED_AT_ONCE = 500;
const BOUND_MS = 900_000;
const RECORDS_PER_TRANSACTION = 200;

const foldedIn = async ({ store }: StackClients, generation: number): Promise<number> => {
  const found = await renderCollectionsIn(store.db, generation).checkpoints.find().toArray();
  return found.reduce((sum, { next }) => sum + Math.max(0, next), 0);
};

const until = async (what: string, ask: () => Promise<boolean>): Promise<void> => {
  for (const ends = performance.now() + BOUND_MS; !(await ask()); await pause(20))
    if (performance.now() > ends) throw new Error(`not in time: ${what}`);
};

/**
 * Measures the store's limit: only writes the same documents, in transactions of the same size. Returns the duration in
 * ms.
 */
const bareWrites = async (clients: StackClients, from: number, per_transaction: number): Promise<number> => {
  const { db, transaction } = clients.store;
  const documents = await renderCollectionsIn(db, from).renders.find({}).toArray();
  const bare = from + 1_000;
  await createIndexes(db, (await readDocumentForm(db, 'renders', from)).indexes(renderIndexes(bare)));
  const { renders } = renderCollectionsIn(db, bare);
  const began = performance.now();
  for (let begin = 0; begin < documents.length; begin += per_transaction) {
    const operations = documents.slice(begin, begin + per_transaction).map(({ _id, ...document }) => ({
      updateOne: { filter: { _id }, update: { $set: document }, upsert: true },
    }));
    await transaction((session) => renders.bulkWrite(operations, { session, ordered: true }));
  }
  return performance.now() - began;
};

/** A rebuild without other load, compared with the store's write rate. */
export const benchRebuild = async (stack: Stack, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  const { records, store } = clients;
  const { db } = store;
  const events = await sealNames(stack, lifecycleEvents(LIVES));
  const serving = async (): Promise<number> => (await servingRenders(db)()).generation;
  const before = await serving();
  const were = await foldedIn(clients, before);
  for (let begin = 0; begin < events.length; begin += APPENDED_AT_ONCE) {
    const part = events.slice(begin, begin + APPENDED_AT_ONCE);
    const appended = await Promise.all(part.map((event) => records.append('render-events', event.render_id, event)));
    if (!appended.every(E.isRight)) throw new Error('Kafka took no event');
  }
  await until('all is folded', async () => (await foldedIn(clients, before)) >= were + events.length);
  const ends = (await records.log.bounds('render-events')).map(({ end }) => end);
  const asked = await requestRebuild(db, 'renders', ends, { by: 'operator:bench', at: new Date() });
  if (asked.tag === 'refused') throw new Error(asked.reason);
  const { generation } = asked.rebuild;
  await until('it begins', async () => (await foldedIn(clients, generation)) > 0);
  const began = performance.now();
  const first = await foldedIn(clients, generation);
  await until('it is folded', async () => (await foldedIn(clients, generation)) >= were + events.length);
  const took_ms = performance.now() - began;
  await until('it serves', async () => (await serving()) === generation);
  const share = (were + events.length - first) / (were + events.length);
  const per_transaction = Math.round((RECORDS_PER_TRANSACTION * LIVES) / events.length);
  const bare_ms = share * (await bareWrites(clients, generation, per_transaction));
  const rate = (ms: number): number => Math.round((share * (were + events.length) * 1_000) / ms);
  return [
    [`rebuild of ${LIVES} renders, sealed`, `${rate(took_ms)} events/s`, ''],
    [
      `its documents written bare, ${per_transaction} in a transaction`,
      `${rate(bare_ms)} events/s: ${(bare_ms / took_ms).toFixed(2)}`,
      'at least 0.8',
    ],
  ];
};
