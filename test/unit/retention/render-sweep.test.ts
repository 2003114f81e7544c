import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { partitionOfKey } from '../../../platform/event-log/partition-of-key.ts';
import { foldedUntil } from '../../../read-models/renders/folded-until.ts';
import { renderSweep } from '../../../retention/renders/render-sweep.ts';
import { requestPath } from '../../../schemas/blobs/paths.ts';

const DAY_MS = 86_400_000;
const [ERASED, ORPHAN] = [requestPath('rend_erased'), requestPath('rend_never_came')];

test('an undeletable blob is reported and skipped, and others are deleted', async (t) => {
  const removed: string[] = [];
  const told: string[] = [];
  const sweep = renderSweep({
    blobs: {
      list: async () => ({
        found: [ERASED, ORPHAN].map((path) => ({ path, size_bytes: 1, stored_at: 0 })),
        next: 'behind it',
      }),
      remove: async (path) => void removed.push(path),
    },
    readRenderBlobs: async () => ({
      foldedUntil: () => 10 * DAY_MS,
      renders: new Map([
        [
          'rend_erased',
          {
            ...{ account_id: 'acc_1', ended_at: 1, erased_at: 2 },
            ...{ request: null, outputs: new Set<string>(), composition: null },
          },
        ],
      ]),
    }),
    retentions: async () => new Map(),
    outputLimits: async () => new Map(),
    time: { now: async () => Number.POSITIVE_INFINITY },
    ages: { leftovers_ms: DAY_MS, sources_ms: DAY_MS, used_parts_ms: DAY_MS },
    eraseAgain: async () => {
      throw new BlobFault('unavailable', ERASED, 'there is a lease on the blob');
    },
    warn: (_about, message) => void told.push(message),
  });
  const { next } = await sweep.page(null, new AbortController().signal);
  t.is(next, '[0,"behind it"]');
  t.deepEqual(removed, [ORPHAN]);
  t.deepEqual(told, ['blobs of an erased render cannot be removed']);
});

test('a watermark a month ahead deletes nothing recent', async (t) => {
  const path = 'renders/rend_1/att_1/master.mp4';
  const [today, yesterday] = [100 * DAY_MS, 98.5 * DAY_MS];
  const sweptAt = async (now: number): Promise<readonly string[]> => {
    const removed: string[] = [];
    const sweep = renderSweep({
      blobs: {
        list: async () => ({ found: [{ path, size_bytes: 1, stored_at: yesterday }], next: null }),
        remove: async (one) => void removed.push(one),
      },
      readRenderBlobs: async () => ({
        foldedUntil: () => today + 31 * DAY_MS,
        renders: new Map([
          [
            'rend_1',
            {
              ...{ account_id: 'acc_1', ended_at: yesterday, erased_at: null },
              ...{ request: null, outputs: new Set([path]), composition: null },
            },
          ],
        ]),
      }),
      retentions: async () =>
        new Map([
          [
            'acc_1',
            { kind: 'account_retention', id: 'acc_1', outputs: 30, media: null, outputs_gone_until: 0 } as const,
          ],
        ]),
      outputLimits: async () => new Map([['acc_1', Number.POSITIVE_INFINITY]]),
      time: { now: async () => now },
      ages: { leftovers_ms: DAY_MS, sources_ms: DAY_MS, used_parts_ms: DAY_MS },
      eraseAgain: async () => undefined,
      warn: () => undefined,
    });
    await sweep.page(null, new AbortController().signal);
    return removed;
  };
  t.deepEqual(await sweptAt(today), []);
  t.deepEqual(await sweptAt(today + 31 * DAY_MS), [path]);
});

test('a blocked partition keeps only blobs of its own renders', async (t) => {
  const [first = '', second = ''] = [0, 1].map((wanted) => {
    const ids = Array.from({ length: 64 }, (_, n) => `rend_${n}`);
    return ids.find((id) => partitionOfKey(id, 2) === wanted);
  });
  const sweptWith = async (marks: readonly { readonly _id: number; readonly at: number }[], partitions: number) => {
    const removed: string[] = [];
    const sweep = renderSweep({
      blobs: {
        list: async () => ({
          found: [first, second].map((id) => ({ path: requestPath(id), size_bytes: 1, stored_at: 0 })),
          next: null,
        }),
        remove: async (path) => void removed.push(path),
      },
      readRenderBlobs: async () => ({ foldedUntil: foldedUntil(marks, partitions), renders: new Map() }),
      retentions: async () => new Map(),
      outputLimits: async () => new Map(),
      time: { now: async () => Number.POSITIVE_INFINITY },
      ages: { leftovers_ms: DAY_MS, sources_ms: DAY_MS, used_parts_ms: DAY_MS },
      eraseAgain: async () => undefined,
      warn: () => undefined,
    });
    await sweep.page(null, new AbortController().signal);
    return removed.map((path) => (path.includes(`${first}/`) ? 'first' : 'second')).toSorted();
  };
  const of = (...times: readonly number[]) => times.map((days, _id) => ({ _id, at: days * DAY_MS }));
  t.deepEqual(await sweptWith(of(10, 10), 2), ['first', 'second']);
  t.deepEqual(await sweptWith(of(10, 0), 2), ['first']);
  t.deepEqual(await sweptWith(of(0, 10), 2), ['second']);
  t.deepEqual(await sweptWith(of(10), 2), [], 'some partitions have no watermark');
  t.deepEqual(await sweptWith([], 0), []);
  t.deepEqual(await sweptWith(of(10, 0), 0), [], 'the number of partitions is unknown');
});
