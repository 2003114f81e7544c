import * as t from 'io-ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import { decodedText } from '../../schemas/blobs/decoded-text.ts';

/** Below `next` everything is erased; `before` is what stood there before, in case the store was not told any more. */
const Noted = t.strict({ before: t.number, next: t.number });
type Noted = t.TypeOf<typeof Noted>;

/**
 * How far erasures are done, in the store and in Blob. One of them that was restored from a backup has what was erased
 * since, and says less: where they differ by more than the last step, all is erased again from the first record on.
 */
export type ErasurePositions = {
  /** Where to go on. Rejects while store or Blob are away. */
  readonly load: (partition: number) => Promise<number>;
  /**
   * Rejects likewise. False, and nothing is noted, where Blob does not have what was noted there last: it was restored, or
   * another process has the partition, and it is to be loaded anew.
   */
  readonly save: (partition: number, next: number) => Promise<boolean>;
};

const pathOf = (partition: number): string => `erasures/render-status/${partition}.json`;

const notedIn = (text: string | null): Noted | null => (text === null ? null : decodedText(Noted, text));

/** @param noted what Blob says; null where it says nothing */
export const goOnAt = (stored: number, noted: Noted | null): number =>
  noted !== null && (noted.next === stored || noted.before === stored) ? stored : 0;

export const erasurePositions = (
  store: ConsumerPositions,
  blobs: Pick<BlobStore, 'readText' | 'writeText'>,
): ErasurePositions => {
  const saved = new Map<number, number>();
  return {
    load: async (partition) => {
      const [stored, text] = await Promise.all([
        store.load('render-status', partition),
        blobs.readText(pathOf(partition)),
      ]);
      const next = goOnAt(stored, notedIn(text));
      saved.set(partition, next);
      return next;
    },
    save: async (partition, next) => {
      const before = saved.get(partition) ?? 0;
      if (goOnAt(before, notedIn(await blobs.readText(pathOf(partition)))) !== before) return false;
      const noted: Noted = { before, next };
      await blobs.writeText(pathOf(partition), JSON.stringify(noted));
      await store.save('render-status', partition, next);
      saved.set(partition, next);
      return true;
    },
  };
};
