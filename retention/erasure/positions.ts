import * as t from 'io-ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
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
   * Saves a position. False if Blob Storage has another note than this process knows, or the store a lower position. Then
   * one of them was restored, another process has the partition, or all erasures must be repeated. The caller loads the
   * position again.
   */
  readonly save: (partition: number, next: number) => Promise<boolean>;
  /** False in the same cases as `save`. */
  readonly isCurrent: (partition: number) => Promise<boolean>;
  /** Makes every process begin these partitions again, at the first record. */
  readonly repeatAll: (partitions: readonly number[]) => Promise<void>;
};

/**
 * Versions before `v2` have their notes at `erasures/render-status/`, and do not puncture keys. Version 2 therefore has
 * positions of its own, and begins at the first record once.
 */
const NOTES_PATH = 'erasures/v2/render-status/';

export const erasureNotePath = (partition: number): string => `${NOTES_PATH}${partition}.json`;

export const resumePosition = (stored: number, noted: Noted | null): number =>
  noted !== null && (noted.next === stored || noted.before === stored) ? stored : 0;

type Known = { readonly next: number; readonly note: string | null };

const noteText = (noted: Noted): string => JSON.stringify(noted);

export const erasurePositions = (
  store: ConsumerPositions,
  blobs: Pick<VersionedBlobs, 'read' | 'create' | 'replace'>,
): ErasurePositions => {
  /** The notes that this process has read or written. */
  const known = new Map<number, Known>();

  const read = async (partition: number) => {
    const blob = await blobs.read(erasureNotePath(partition));
    return { note: blob === null ? null : blob.bytes.toString('utf8'), version: blob?.version ?? null };
  };

  /** A store that was restored has lost write counters of key trees too. Only a repeat of all erasures finds them. */
  const isStoreRestored = async (partition: number): Promise<boolean> =>
    (await store.load('render-status', partition)) < (known.get(partition)?.next ?? 0);

  /** False if the note changed since it was read. */
  const write = (partition: number, note: string, version: string | null): Promise<boolean> => {
    const [path, bytes] = [erasureNotePath(partition), Buffer.from(note, 'utf8')];
    return version === null ? blobs.create(path, bytes) : blobs.replace(path, bytes, version);
  };

  const repeat = async (partition: number): Promise<void> => {
    // The id makes the note differ from every note that a process knows. No position of the store is negative.
    const note = JSON.stringify({ before: -1, next: -1, id: mintUlid() });
    while (!(await write(partition, note, (await read(partition)).version)));
  };

  return {
    load: async (partition) => {
      const [stored, { note }] = await Promise.all([store.load('render-status', partition), read(partition)]);
      const next = resumePosition(stored, note === null ? null : decodeJsonText(Noted, note));
      known.set(partition, { next, note });
      return next;
    },
    save: async (partition, next) => {
      const { next: before, note: expected } = known.get(partition) ?? { next: 0, note: null };
      const wanted = noteText({ before, next });
      if (await isStoreRestored(partition)) return false;
      const { note, version } = await read(partition);
      // After a lost answer, Blob has the wanted note already.
      if (note !== wanted && (note !== expected || !(await write(partition, wanted, version)))) return false;
      await store.save('render-status', partition, next);
      known.set(partition, { next, note: wanted });
      return true;
    },
    isCurrent: async (partition) => {
      const [is_restored, { note }] = await Promise.all([isStoreRestored(partition), read(partition)]);
      return !is_restored && note === (known.get(partition)?.note ?? null);
    },
    repeatAll: async (partitions) => {
      for (const partition of partitions) await repeat(partition);
    },
  };
};
