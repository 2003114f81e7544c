import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import pLimit from 'p-limit';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { renderPrefix, segmentPath, usedPartsPrefix } from '../../schemas/blobs/paths.ts';

const REMOVED_AT_ONCE = 8;
const REQUEST_MS = 30_000;

const Keys = t.array(t.string);
/** A part's key is a hash: what else was noted leads nowhere. */
const KEY = /^[0-9a-f]{64}$/;

const keysIn = (text: string | null): readonly string[] => {
  if (text === null) return [];
  try {
    const decoded = Keys.decode(JSON.parse(text));
    return isRight(decoded) ? decoded.right.filter((key) => KEY.test(key)) : [];
  } catch {
    return [];
  }
};

export type FilesOf = {
  readonly blobs: Pick<BlobStore, 'readText'>;
  readonly evictable: Pick<EvictableBlobs, 'list' | 'remove'>;
};

export type ErasedFiles = { readonly files: number; readonly parts: number };

/**
 * Deletes all that Blob has of a render: its payloads, fetched media, outputs, poster, and the encoded parts that it used,
 * which other renders then encode again. What says which parts those are stays, hashes alone: a worker may store a part yet,
 * which the next pass of the sweep then finds. May be repeated. Rejects with `BlobFault`, and once `stop` aborts.
 */
export const eraseFiles = async (
  { blobs, evictable }: FilesOf,
  { render_id, account_id }: { readonly render_id: string; readonly account_id: string },
  stop: AbortSignal,
): Promise<ErasedFiles> => {
  const turn = pLimit(REMOVED_AT_ONCE);
  const request = (): AbortSignal => AbortSignal.any([stop, AbortSignal.timeout(REQUEST_MS)]);

  const says_parts = usedPartsPrefix(render_id);

  const removeFiles = async (): Promise<number> => {
    let removed = 0;
    let from: string | null = null;
    do {
      const page = await evictable.list(renderPrefix(render_id), from, request());
      const paths = page.found.map(({ path }) => path).filter((path) => !path.startsWith(says_parts));
      await turn.map(paths, (path) => evictable.remove(path, request()));
      removed += paths.length;
      from = page.next;
    } while (from !== null);
    return removed;
  };

  const removeParts = async (): Promise<number> => {
    const used = new Set<string>();
    let from: string | null = null;
    do {
      const page = await evictable.list(says_parts, from, request());
      const texts = await turn.map(page.found, ({ path }) => blobs.readText(path, request()));
      for (const text of texts) for (const key of keysIn(text)) used.add(key);
      from = page.next;
    } while (from !== null);
    await turn.map([...used], (key) => evictable.remove(segmentPath(account_id, key), request()));
    return used.size;
  };

  return { parts: await removeParts(), files: await removeFiles() };
};
