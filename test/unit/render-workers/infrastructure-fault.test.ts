import { tmpdir } from 'node:os';
import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import {
  faultDetail,
  InfrastructureFault,
  requireFreeSpace,
} from '../../../render-workers/environment/infrastructure-fault.ts';

const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

test('a full disk is named as such, even during a download', (t) => {
  t.is(faultDetail(full), 'disk_full');
  t.is(faultDetail(new BlobFault('unavailable', 'a', 'the blob store did not serve a', full)), 'disk_full');
});

test('other faults are reported by a code, never by their text', (t) => {
  t.is(faultDetail(new BlobFault('unavailable', 'a', 'away')), 'blob_unavailable');
  t.is(faultDetail(new InfrastructureFault('engine', 'ffmpeg failed')), 'engine');
  t.is(faultDetail(new Error('ana@example.org')), 'unexpected');
});

test('caches are evicted before an attempt is refused, and only if needed', async (t) => {
  let made = 0;
  const makeRoom = async () => {
    made += 1;
  };
  await requireFreeSpace(tmpdir(), makeRoom, 1);
  t.is(made, 0);
  await t.throwsAsync(requireFreeSpace(tmpdir(), makeRoom, Number.MAX_SAFE_INTEGER), {
    instanceOf: InfrastructureFault,
    message: /MiB are free/,
  });
  t.is(made, 1);
});
