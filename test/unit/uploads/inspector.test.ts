import test from 'ava';
import type { Upload } from '../../../domain/uploads/upload.ts';
import type { UploadClaim } from '../../../read-models/uploads/uploads.ts';
import { type InspectorDependencies, startInspector } from '../../../render-workers/inspector/inspector.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';
import { notCalled } from '../render-workers/_blobs.ts';

const INSPECTION_MS = 1_000;

type Waiting = { readonly upload: Upload; claim: UploadClaim | null };

const waitingUpload = (account_id: string, n: number, claim: UploadClaim | null = null): Waiting => ({
  claim,
  upload: {
    ...{ id: `upload_${account_id}_${n}`, account_id, team_id: 'team_1', name: 'logo.png', kind: 'image' },
    ...{ content_type: 'image/png', size_bytes: 10, sha256: null, state: 'queued', created_at: n, updated_at: n },
    ...{ expires_at: 100, queued_at: n, result: null, faults: [] },
  },
});

const accountsWith = (accounts: number, uploads: number): readonly Waiting[] =>
  Array.from({ length: accounts }, (_, account) =>
    Array.from({ length: uploads }, (_, n) => waitingUpload(`acc_${String(account).padStart(2, '0')}`, n)),
  ).flat();

/**
 * An inspector whose inspections take a second, over uploads in memory.
 *
 * @param all in the order of their accounts
 */
const inspecting = (all: readonly Waiting[]) => {
  const clock = virtualClock();
  const waiting = new Map(all.map((one) => [one.upload.id, one]));
  const inspected: string[] = [];
  const pages: number[] = [];
  const isHolder = (id: string, holder: string): boolean => waiting.get(id)?.claim?.holder === holder;
  const uploads: InspectorDependencies['uploads'] = {
    waiting: async (after, limit) => {
      const page = [...waiting.values()].filter(({ upload }) => upload.account_id > (after ?? '')).slice(0, limit);
      pages.push(page.length);
      return page.map(({ upload: { id, account_id, state }, claim }) => ({ id, account_id, state, claim }));
    },
    claim: async (id, _seen, holder) => {
      const found = waiting.get(id);
      if (found === undefined) return null;
      found.claim = { holder, beat: 0 };
      return { upload: found.upload, tries: 1 };
    },
    beat: async (id, holder) => isHolder(id, holder),
    decide: async (id, holder) => isHolder(id, holder),
    finish: async (id, holder) => isHolder(id, holder) && waiting.delete(id),
    ...{ release: async () => undefined, fetched: notCalled },
  };
  const parts = {
    ...{ uploads, clock, holder: 'here', fetch: notCalled, logger: Object.create(null) },
    blobs: { writeText: async () => undefined },
    upload_blobs: { list: async () => [], remove: async () => undefined },
    inspect: async ({ account_id }: Upload) => {
      await clock.sleep(INSPECTION_MS);
      inspected.push(account_id);
      return { result: null, faults: ['no'] };
    },
  };
  const inspector = startInspector(Object.assign(Object.create(null), parts));
  return { clock, inspected, pages, inspector };
};

/** Advances until this many inspections, two at once, can have ended. */
const after = async (clock: ReturnType<typeof virtualClock>, inspections: number): Promise<void> => {
  for (let ms = 0; ms <= (inspections / 2 + 2) * INSPECTION_MS; ms += 100) await clock.advance(100);
};

test('accounts with many waiting uploads hide no other account', async (t) => {
  const { clock, inspected, pages } = inspecting([...accountsWith(10, 100), waitingUpload('acc_calm', 1)]);
  await after(clock, 14);
  t.is(inspected.filter((account) => account === 'acc_calm').length, 1, inspected.join(' '));
  t.true(
    inspected.filter((account) => account === 'acc_00').length <= 3,
    `accounts take turns: ${inspected.join(' ')}`,
  );
  t.true(Math.max(...pages) <= 100);
});

test('an abandoned upload is taken over, also behind those of many accounts', async (t) => {
  const gone = { holder: 'gone', beat: 7 };
  const { clock, inspected } = inspecting([...accountsWith(25, 100), waitingUpload('acc_gone', 1, gone)]);
  await after(clock, 26);
  t.false(inspected.includes('acc_gone'), 'its process may still work');
  await after(clock, 60);
  t.true(inspected.includes('acc_gone'), inspected.join(' '));
});
