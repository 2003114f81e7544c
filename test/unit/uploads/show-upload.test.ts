import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { uploadReply } from '../../../catalogue/uploads/show-upload.ts';
import type { Upload } from '../../../domain/uploads/upload.ts';
import { notCalled } from '../render-workers/_blobs.ts';

const UPLOAD: Upload = {
  ...{ id: `upload_${'a'.repeat(32)}`, account_id: 'acc_1', team_id: 'team_1', name: 'logo.png', kind: 'image' },
  ...{ content_type: 'image/png', size_bytes: 10, sha256: null, state: 'open', created_at: 1, updated_at: 1 },
  ...{ expires_at: 100, queued_at: null, result: null, faults: [] },
};

test('lists of stored blocks are limited by account, and other reads are not', async (t) => {
  const listed: string[] = [];
  let left = 2;
  const parts = {
    blobs: { signedUrl: notCalled },
    upload_blobs: {
      stagedBlocks: async (path: string) => {
        listed.push(path);
        return [{ id: 'a', size_bytes: 5 }];
      },
    },
    block_lists: async (account_id: string) => {
      t.is(account_id, 'acc_1');
      left -= 1;
      return { allowed: left >= 0, headers: {}, retry_after_s: 3 };
    },
  };
  for (const _ of [1, 2])
    t.like(await uploadReply(parts, UPLOAD), { right: { body: { blocks: [{ id: 'a', size_bytes: 5 }] } } });
  t.like(await uploadReply(parts, UPLOAD), { left: { tag: 'rate_limited', retry_after_s: 3 } });
  t.is(listed.length, 2, 'a refused read asks nothing of the blob store');
  for (const state of ['queued', 'ready', 'refused'] as const)
    t.true(E.isRight(await uploadReply(parts, { ...UPLOAD, state })), state);
});
