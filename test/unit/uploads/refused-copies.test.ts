import { RestError } from '@azure/storage-blob';
import test from 'ava';
import { completeUpload } from '../../../catalogue/uploads/complete-upload.ts';
import type { Upload } from '../../../domain/uploads/upload.ts';
import { isSourceRefused } from '../../../platform/blob-store/azure-errors.ts';
import { inspectUpload } from '../../../render-workers/inspector/inspect-upload.ts';
import { notCalled } from '../render-workers/_blobs.ts';

const ID = `upload_${'a'.repeat(32)}`;

const UPLOAD: Upload = {
  ...{ id: ID, account_id: 'acc_1', team_id: 'team_1', name: 'logo.png', kind: 'image' },
  ...{ content_type: 'image/png', size_bytes: 10, sha256: null, state: 'open', created_at: 1, updated_at: 1 },
  ...{ expires_at: 100, queued_at: null, result: null, faults: [] },
};

const blob = (size_bytes: number) => ({ size_bytes, version: '"1"', usable: true });

test('a blob that the store refuses to copy is a fault of the upload', async (t) => {
  const upload_blobs = {
    ...{ find: async () => blob(10), copy: async () => 'refused' as const },
    ...{ download: notCalled, label: notCalled, put: notCalled },
  };
  const parts = { upload_blobs, folder: { render: notCalled }, inspect: notCalled, draw: notCalled };
  const { result, faults } = await inspectUpload(UPLOAD, parts, AbortSignal.timeout(10_000));
  t.is(result, null);
  t.regex(faults.join(), /without .* encryption headers/);
});

test('only conflicts of the source are refusals of a copy', (t) => {
  const error = (statusCode: number, code: string) => new RestError('no', { statusCode, code });
  t.true(isSourceRefused(error(409, 'BlobUsesCustomerSpecifiedEncryption')));
  t.false(isSourceRefused(error(409, 'ContainerBeingDeleted')));
  t.false(isSourceRefused(error(403, 'AuthorizationFailure')), 'an operator can mend it');
  t.false(isSourceRefused(new Error('no answer')));
});

test('complete deletes bytes beyond the stated size, and keeps fewer ones', async (t) => {
  const removed: unknown[] = [];
  const completeWith = async (size_bytes: number) => {
    const upload_blobs = {
      find: async () => blob(size_bytes),
      remove: async (...of: readonly unknown[]) => void removed.push(of),
    };
    const uploads = { find: async () => UPLOAD, insert: notCalled, queue: notCalled };
    const parts = { uploads, upload_blobs, blobs: { readText: notCalled }, now: () => 1 };
    return await completeUpload(parts, { account_id: 'acc_1', teams: new Map([['team_1', null]]) }, ID);
  };
  t.like(await completeWith(11), { left: { tag: 'incomplete' } });
  t.deepEqual(removed, [[`accounts/acc_1/quarantine/${ID}`, '"1"']]);
  t.like(await completeWith(9), { left: { tag: 'incomplete' } });
  t.is(removed.length, 1);
});
