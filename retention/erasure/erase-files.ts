import * as t from 'io-ts';
import pLimit from 'p-limit';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { renderPrefix, segmentPath, usedPartsPrefix } from '../../schemas/blobs/paths.ts';
import { forEachPage, requestSignal } from '../sweeps/list-pages.ts';

const REMOVED_AT_ONCE = 8;

const Keys = t.array(t.string);
/** Keys of encoded parts are SHA-256 in hex; anything else in the list is ignored. */
const KEY = /^[0-9a-f]{64}$/;

const keysIn = (text: string | null): readonly string[] =>
  text === null ? [] : (decodeJsonText(Keys, text) ?? []).filter((key) => KEY.test(key));

export type RenderFileStores = {
  readonly blobs: Pick<BlobStore, 'readText'>;
  readonly evictable: Pick<EvictableBlobs, 'list' | 'remove'>;
};

export type ErasedFileCounts = { readonly files: number; readonly parts: number };

/**
 * Deletes the files of a render and the encoded parts that it used. Other renders then encode these parts again. The
 * list of used parts stays, because it has only hashes. A worker may still store a part; the next pass finds it.
 * Rejects with `BlobFault`, and when `stop` aborts.
 */
export const eraseFiles = async (
  { blobs, evictable }: RenderFileStores,
  { render_id, account_id }: { readonly render_id: string; readonly account_id: string },
  stop: AbortSignal,
): Promise<ErasedFileCounts> => {
  const turn = pLimit(REMOVED_AT_ONCE);
  const says_parts = usedPartsPrefix(render_id);
  const below = (prefix: string) => (from: string | null, until: AbortSignal) => evictable.list(prefix, from, until);
  const removeAll = (paths: readonly string[]) =>
    turn.map(paths, (path) => evictable.remove(path, requestSignal(stop)));

  const removeFiles = async (): Promise<number> => {
    let removed = 0;
    await forEachPage(below(renderPrefix(render_id)), stop, async (found) => {
      const paths = found.map(({ path }) => path).filter((path) => !path.startsWith(says_parts));
      await removeAll(paths);
      removed += paths.length;
    });
    return removed;
  };

  const removeParts = async (): Promise<number> => {
    const used = new Set<string>();
    await forEachPage(below(says_parts), stop, async (found) => {
      const texts = await turn.map(found, ({ path }) => blobs.readText(path, requestSignal(stop)));
      for (const text of texts) for (const key of keysIn(text)) used.add(key);
    });
    await removeAll([...used].map((key) => segmentPath(account_id, key)));
    return used.size;
  };

  return { parts: await removeParts(), files: await removeFiles() };
};
