import * as E from 'fp-ts/lib/Either.js';
import type { Collection } from 'mongodb';
import pLimit from 'p-limit';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { verifyRenders } from '../projectors/verification/verify-renders.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import type { BenchmarkResult } from './figures.ts';
import { lifecycleEvents } from './render-lives.ts';
import { measureTime, type TimedResult } from './timed.ts';
import { waitUntilFolded } from './until-folded.ts';

/** `LOG_RENDERS=125000` gives a log of a million events. */
const LIVES = Number(process.env.LOG_RENDERS ?? 5_000);
const LIVES_AT_ONCE = 200;
const FOLDED_WITHIN_MS = 3_600_000;
const READ = ['renders', 'audit', 'ledger', 'statistics'] as const;
const READ_AT_ONCE = 100;
const READS_AT_ONCE = 3;

/**
 * Measures how fast the verifier compares the read models with the log, and how fast the same documents are only read.
 */
export const benchCompare = async (clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  const { records, store } = clients;
  for (let made = 0; made < LIVES; made += LIVES_AT_ONCE) {
    const events = lifecycleEvents(Math.min(LIVES_AT_ONCE, LIVES - made));
    const appends = events.map((event) => records.append('render-events', event.render_id, event));
    if (!(await Promise.all(appends)).every(E.isRight)) throw new Error('Kafka took no event');
  }
  await waitUntilFolded(clients, FOLDED_WITHIN_MS);
  const { generation, ...model } = await servingRenders(store.db)();
  const reads: (() => Promise<void>)[] = [];
  for (const name of READ) {
    const collection: Collection<{ _id: string }> = store.db.collection(model[name].collectionName);
    const ids = (await collection.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    for (let begin = 0; begin < ids.length; begin += READ_AT_ONCE)
      reads.push(async () => {
        // The documents are discarded, so that the memory figure is the verifier's own.
        await collection.find({ _id: { $in: ids.slice(begin, begin + READ_AT_ONCE) } }).toArray();
      });
  }
  const bare = await measureTime(() => pLimit(READS_AT_ONCE).map(reads, (read) => read()));

  const before_bytes = process.memoryUsage.rss();
  let most_bytes = before_bytes;
  const comparing = await measureTime(() =>
    verifyRenders(
      { records, db: store.db, generation, clock: SYSTEM_CLOCK },
      {
        onProgress: () => {
          most_bytes = Math.max(most_bytes, process.memoryUsage.rss());
        },
      },
    ),
  );
  const { compared, different, behind } = comparing.result;
  if (different + behind > 0) throw new Error(`${different} differences, ${behind} records are not folded`);
  const per = (time_ms: number): number => Math.round((LIVES * 1_000) / time_ms);
  const rate = ({ took_ms, cpu_ms }: TimedResult<unknown>): string =>
    `${per(took_ms)} renders/s, ${per(cpu_ms)} for a second of a core`;
  const grown = Math.round((most_bytes - before_bytes) / 2 ** 20);
  return [
    [`a bare read of what is kept of ${LIVES} renders`, rate(bare), ''],
    [
      `compared with ${compared.events ?? 0} events`,
      `${rate(comparing)}: ${(bare.took_ms / comparing.took_ms).toFixed(2)}, ${grown} MB more`,
      'at least 0.8',
    ],
  ];
};
