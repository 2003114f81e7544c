import * as t from 'io-ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';

/**
 * All erasures below `next` are done. `before` is the previous `next`: the store still has it if a crash came between
 * the two writes.
 */
const Noted = t.strict({ before: t.number, next: t.number });
type Noted = t.TypeOf<typeof Noted>;

/**
 * Positions of erasures, in the store and in Blob Storage. A restored backup has erased data again, and a lower
 * position than the other. If the two differ by more than one step, all erasures are repeated from the first record.
 */
export type ErasurePositions = {
  readonly load: (partition: number) => Promise<number>;
  /**
   * Saves a position. False if Blob Storage lacks the last position, because it was restored or another process has the
   * partition. The caller then loads the position again.
   */
  readonly save: (partition: number, next: number) => Promise<boolean>;
};

const pathOf = (partition: number): string => `erasures/render-status/${partition}.json`;

const notedIn = (text: string | null): Noted | null => (text === null ? null : decodeJsonText(Noted, text));

export const resumePosition = (stored: number, noted: Noted | null): number =>
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
      const next = resumePosition(stored, notedIn(text));
      saved.set(partition, next);
      return next;
    },
    save: async (partition, next) => {
      const before = saved.get(partition) ?? 0;
      if (resumePosition(before, notedIn(await blobs.readText(pathOf(partition)))) !== before) return false;
      const noted: Noted = { before, next };
      await blobs.writeText(pathOf(partition), JSON.stringify(noted));
      await store.save('render-status', partition, next);
      saved.set(partition, next);
      return true;
    },
  };
};
