import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { detailOf, Surroundings } from '../../../render-workers/worker/surroundings.ts';

const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

test('a disk that fills is named so, also where it filled while a blob was fetched', (t) => {
  t.is(detailOf(full), 'disk_full');
  t.is(detailOf(new BlobFault('unavailable', 'a', 'the blob store did not serve a', full)), 'disk_full');
});

test('other faults are told by a code, never by their text', (t) => {
  t.is(detailOf(new BlobFault('unavailable', 'a', 'away')), 'blob_unavailable');
  t.is(detailOf(new Surroundings('engine', 'ffmpeg failed')), 'engine');
  t.is(detailOf(new Error('ana@example.org')), 'unexpected');
});
