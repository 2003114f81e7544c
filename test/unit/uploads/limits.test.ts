import test from 'ava';
import {
  DEFAULT_UPLOAD_LIMITS,
  type UploadTotals,
  uploadLimitFault,
  uploadUsage,
} from '../../../domain/uploads/limits.ts';
import { uploadAt } from '../../../schemas/blobs/paths.ts';

const GIB = 1024 ** 3;

const messageOf = (uploads: UploadTotals, limits = DEFAULT_UPLOAD_LIMITS, project_bytes = 0): string | null =>
  uploadLimitFault({ uploads, project_bytes }, limits)?.message ?? null;

test('an account may reach each limit of uploads, and not exceed it', (t) => {
  const { in_progress, bytes_in_progress, uploads, bytes } = DEFAULT_UPLOAD_LIMITS;
  const fault = (state: 'open' | 'queued' | 'inspected' | 'ready' | 'refused', count: number, size: number) =>
    messageOf([{ state, count, bytes: size }]);
  t.is(fault('open', in_progress, bytes_in_progress), null);
  t.regex(fault('open', in_progress + 1, 1) ?? '', /100 uploads in progress/);
  t.regex(fault('queued', 1, bytes_in_progress + 1) ?? '', /20 GiB/);
  t.is(fault('ready', uploads, bytes), null);
  t.regex(fault('ready', uploads + 1, 1) ?? '', /2000 uploads/);
  t.regex(fault('refused', 1, bytes + 1) ?? '', /100 GiB/);
  t.is(messageOf([]), null);
  const ready = [{ state: 'ready', count: 1, bytes: GIB }] as const;
  t.is(messageOf(ready, DEFAULT_UPLOAD_LIMITS, bytes - GIB), null);
  t.regex(messageOf(ready, DEFAULT_UPLOAD_LIMITS, bytes - GIB + 1) ?? '', /files and documents of projects .* 100 GiB/);
});

test('uploads in progress are summed over their states', (t) => {
  const totals = [
    { state: 'open', count: 60, bytes: GIB },
    { state: 'queued', count: 30, bytes: GIB },
    { state: 'inspected', count: 11, bytes: GIB },
  ] as const;
  t.regex(messageOf(totals) ?? '', /in progress/);
  t.is(messageOf(totals.slice(0, 2)), null);
});

test('a configured limit of bytes is named with its size', (t) => {
  const limits = { ...DEFAULT_UPLOAD_LIMITS, bytes: 1.5 * GIB, bytes_in_progress: 100 * 1024 ** 2 };
  const ready = { state: 'ready', count: 2, bytes: 2 * GIB } as const;
  t.deepEqual(uploadLimitFault({ uploads: [ready], project_bytes: 0 }, limits)?.of, 'bytes');
  t.regex(messageOf([ready], limits) ?? '', /at most 1\.5 GiB/);
  const open = { state: 'open', count: 1, bytes: GIB } as const;
  t.regex(messageOf([open], limits) ?? '', /at most 100 MiB/);
  const used = { in_progress: 1, bytes_in_progress: GIB, uploads: 3, bytes: 3 * GIB + 1 };
  t.deepEqual(uploadUsage({ uploads: [ready, open], project_bytes: 1 }), used);
});

test('paths of uploads name their account and upload', (t) => {
  const found = { account_id: 'acc_1', upload_id: 'upload_a' };
  t.deepEqual(uploadAt('accounts/acc_1/quarantine/upload_a'), found);
  t.deepEqual(uploadAt('accounts/acc_1/uploads/upload_a/record.json'), found);
  t.is(uploadAt('accounts/acc_1/segments/upload_a'), null);
  t.is(uploadAt('accounts/acc_1/quarantine/upload_a/more'), null);
});
