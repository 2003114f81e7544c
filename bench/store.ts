import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';

const TIMES = 50;

/** The store's limit: transactions of 1 and of 20 upserts, one after another, like the projector's. */
export const benchStore = async ({ store }: StackClients): Promise<readonly BenchmarkResult[]> => {
  const documents = store.db.collection<{ _id: string; text: string }>('bench');
  await documents.insertOne({ _id: 'first', text: '' });
  const { version } = await store.db.admin().serverInfo();
  const time = async (upserts: number): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < TIMES; n += 1) {
      const began = performance.now();
      await store.transaction((session) =>
        documents.bulkWrite(
          Array.from({ length: upserts }, (_, i) => {
            const _id = `${upserts}-${n}-${i}`;
            return { replaceOne: { filter: { _id }, replacement: { text: 'x'.repeat(1_000) }, upsert: true } };
          }),
          { session },
        ),
      );
      times.push(performance.now() - began);
    }
    return quantile(times, 0.5);
  };
  const [one, twenty] = [await time(1), await time(20)];
  return [
    [
      `the store (${version}): a transaction of 1 and of 20 upserts, p50`,
      `${millisecondsText(one)}, ${millisecondsText(twenty)}`,
      '',
    ],
  ];
};
