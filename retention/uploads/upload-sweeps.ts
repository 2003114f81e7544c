import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import {
  ACCOUNTS_PATH,
  quarantinePath,
  quarantinePrefix,
  uploadAt,
  uploadPrefix,
  uploadsPrefix,
} from '../../schemas/blobs/paths.ts';
import { forEachPage } from '../sweeps/list-pages.ts';
import { addRemoved, NOTHING_REMOVED, type RemovedCounts } from '../sweeps/progress.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import type { TrustedTime } from '../time/trusted-time.ts';

export type UploadSweepDependencies = {
  readonly uploads: Pick<Uploads, 'expired' | 'removeExpired' | 'states'>;
  readonly blobs: Pick<EvictableBlobs, 'list' | 'folders'>;
  readonly upload_blobs: Pick<UploadBlobs, 'list' | 'remove'>;
  readonly time: Pick<TrustedTime, 'now'>;
  readonly warn: Warn;
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const UPLOADS_OF_A_PAGE = 200;
const IDS_AT_ONCE = 500;
/** Longer than any upload is kept, so that the record of a lost document can still restore it. */
const LEFT_MS = 8 * DAY_MS;

/**
 * Deletes expired uploads. The document goes first: a request that keeps the upload meanwhile then either comes first,
 * or does not find it. After a crash, the other sweep deletes the blobs.
 */
const expiredUploads = ({ uploads, upload_blobs, time }: UploadSweepDependencies): Sweep => ({
  name: 'uploads',
  every_ms: 10 * MINUTE_MS,
  page: async (_from, signal) => {
    const now = await time.now();
    const found = await uploads.expired(now, UPLOADS_OF_A_PAGE);
    let removed = NOTHING_REMOVED;
    for (const { id, account_id } of found) {
      signal.throwIfAborted();
      if (!(await uploads.removeExpired(id, now))) continue;
      const paths = await upload_blobs.list(uploadPrefix(account_id, id));
      for (const path of [...paths, quarantinePath(account_id, id)]) await upload_blobs.remove(path);
      removed = addRemoved(removed, { removed: paths.length, removed_bytes: 0 });
    }
    const is_end = found.length < UPLOADS_OF_A_PAGE;
    return { next: is_end ? null : 'more', removed: removed.removed === 0 ? {} : { uploads: removed } };
  },
});

/**
 * Deletes old blobs whose upload has no document, such as what a client wrote after the upload expired. Old blobs in
 * quarantine are deleted anyway, because a client can write them after the inspection.
 */
const leftUploads = ({ uploads, blobs, upload_blobs, time, warn }: UploadSweepDependencies): Sweep => {
  const removeLeft = async (
    account_id: string,
    found: readonly ListedBlob[],
    before: number,
  ): Promise<RemovedCounts> => {
    const old = found.flatMap((blob) => {
      const upload_id = blob.stored_at < before ? uploadAt(blob.path)?.upload_id : undefined;
      return upload_id === undefined ? [] : [{ ...blob, upload_id }];
    });
    let removed = NOTHING_REMOVED;
    for (let begin = 0; begin < old.length; begin += IDS_AT_ONCE) {
      const some = old.slice(begin, begin + IDS_AT_ONCE);
      const existing = await uploads.states([...new Set(some.map(({ upload_id }) => upload_id))]);
      for (const { path, size_bytes, upload_id } of some) {
        if (existing.has(upload_id) && !path.startsWith(quarantinePrefix(account_id))) continue;
        await upload_blobs.remove(path);
        removed = addRemoved(removed, { removed: 1, removed_bytes: size_bytes });
      }
    }
    return removed;
  };
  return {
    name: 'upload_leftovers',
    every_ms: DAY_MS,
    page: async (from, signal) => {
      const before = (await time.now()) - LEFT_MS;
      const { found: accounts, next } = await blobs.folders(ACCOUNTS_PATH, from, signal);
      let removed = NOTHING_REMOVED;
      for (const folder of accounts) {
        const account_id = folder.slice(ACCOUNTS_PATH.length, -1);
        for (const prefix of [quarantinePrefix(account_id), uploadsPrefix(account_id)])
          try {
            await forEachPage(
              (after, until) => blobs.list(prefix, after, until),
              signal,
              async (found) => {
                removed = addRemoved(removed, await removeLeft(account_id, found, before));
              },
            );
          } catch (error) {
            signal.throwIfAborted();
            warn({ error, account_id }, 'uploads of an account that are left over cannot be removed');
          }
      }
      return { next, removed: removed.removed === 0 ? {} : { uploads: removed } };
    },
  };
};

export const uploadSweeps = (parts: UploadSweepDependencies): readonly Sweep[] => [
  expiredUploads(parts),
  leftUploads(parts),
];
