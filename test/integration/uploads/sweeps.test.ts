import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Upload } from '../../../domain/uploads/upload.ts';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import { openUploadBlobs } from '../../../platform/blob-store/azure-upload-blobs.ts';
import { openKeyBlobs } from '../../../platform/seals/open-key-blobs.ts';
import { openUploads } from '../../../read-models/uploads/uploads.ts';
import { uploadSweeps } from '../../../retention/uploads/upload-sweeps.ts';
import { quarantinePath, uploadBytesPath, uploadRecordPath } from '../../../schemas/blobs/paths.ts';
import { openStackClients } from '../../../stack/testing/stack-clients.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

const DAY_MS = 86_400_000;

const upload = (id: string, expires_at: number): Upload => ({
  ...{ id, account_id: 'acc_1', team_id: 'team_1', name: 'logo.png', kind: 'image', content_type: 'image/png' },
  ...{ size_bytes: 1, sha256: null, state: 'ready', created_at: 1, updated_at: 1, expires_at },
  ...{ queued_at: null, result: null, faults: [] },
});

test('expired uploads and old blobs without a document are deleted, and others stay', async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'sweeps '));
  const stack = await startTestStack({ dataDir: folder, components: [] });
  const clients = await openStackClients(stack.env);
  t.teardown(async () => {
    await clients.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const settings = {
    connection_string: stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '',
    container: stack.env.BLOB_CONTAINER ?? 'renders',
    public_url: undefined,
  };
  await openKeyBlobs(settings).ensureContainer();
  const [uploads, upload_blobs] = [openUploads(clients.store.db), openUploadBlobs(settings)];
  let now = Date.now();
  const [expired, left] = uploadSweeps({
    ...{ uploads, upload_blobs, blobs: openEvictableBlobs(settings), time: { now: async () => now } },
    warn: (_details, message) => t.fail(message),
  });
  if (expired === undefined || left === undefined) return t.fail('two sweeps');
  const signal = AbortSignal.timeout(180_000);
  for (const id of ['upload_old', 'upload_new', 'upload_gone']) {
    const paths = [quarantinePath('acc_1', id), uploadRecordPath('acc_1', id), uploadBytesPath('acc_1', id, '1')];
    for (const path of paths) await upload_blobs.put(path, Buffer.from('x'), 'image/png', signal);
  }
  const { url } = await upload_blobs.writeUrl(quarantinePath('acc_1', 'upload_old'));
  const headers = { 'x-ms-lease-action': 'acquire', 'x-ms-lease-duration': '-1' };
  t.is((await fetch(`${url}&comp=lease`, { method: 'PUT', headers })).status, 201);
  await uploads.insert(upload('upload_old', now - 1));
  await uploads.insert(upload('upload_new', now + 30 * DAY_MS));

  t.like(await expired.page(null, signal), { next: null, removed: { uploads: { removed: 2 } } });
  t.is(await uploads.find('upload_old'), null);
  const remaining = async (): Promise<readonly string[]> =>
    (await upload_blobs.list('accounts/acc_1/')).filter((path) => !path.includes('upload_new'));
  t.true((await remaining()).every((path) => path.includes('upload_gone')));
  t.deepEqual((await left.page(null, signal)).removed, {}, 'the blobs are too young');
  now += 9 * DAY_MS;
  t.like(await left.page(null, signal), { removed: { uploads: { removed: 4 } } });
  t.deepEqual(await remaining(), []);
  const kept = [uploadBytesPath('acc_1', 'upload_new', '1'), uploadRecordPath('acc_1', 'upload_new')];
  t.deepEqual(await upload_blobs.list('accounts/acc_1/'), kept, 'an old blob in quarantine is deleted anyway');
});
