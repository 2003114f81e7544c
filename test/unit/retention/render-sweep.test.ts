import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { renderSweep } from '../../../retention/renders/render-sweep.ts';
import { requestPath } from '../../../schemas/blobs/paths.ts';

const DAY_MS = 86_400_000;
const [ERASED, ORPHAN] = [requestPath('rend_erased'), requestPath('rend_never_came')];

test('a blob of an erased render that cannot be deleted is left to the next pass, and told; others are deleted', async (t) => {
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
    foldedRenders: async () => ({
      folded_until: 10 * DAY_MS,
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
    ages: { leftovers_ms: DAY_MS, sources_ms: DAY_MS, used_parts_ms: DAY_MS },
    eraseAgain: async () => {
      throw new BlobFault('unavailable', ERASED, 'there is a lease on the blob');
    },
    warn: (_about, message) => void told.push(message),
  });
  const { next } = await sweep.page(null, new AbortController().signal);
  t.is(next, 'behind it');
  t.deepEqual(removed, [ORPHAN]);
  t.deepEqual(told, ['what is found of an erased render cannot be removed']);
});
