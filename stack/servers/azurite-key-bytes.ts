import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { keyTreeAt } from '../../schemas/blobs/paths.ts';

/**
 * Overwrites former key trees on the disk. Azurite appends blobs to extents, and keeps an extent while one of its blobs
 * exists. So the keys of erased texts would stay next to the log with the encrypted texts.
 */

/** Where an extent has the bytes of a blob. */
type Chunk = { readonly id: string; readonly offset: number; readonly count: number };

type BlobName = { readonly accountName: string; readonly containerName: string; readonly name: string };

export type StoredBlob = BlobName & { readonly persistency?: Chunk };

/** The part of Azurite's index of blobs that this uses. */
export type BlobIndex = {
  readonly db: {
    readonly getCollection: (
      name: string,
    ) => { readonly findOne: (query: BlobName & { snapshot: '' }) => StoredBlob | null } | null;
  };
  readonly BLOBS_COLLECTION: string;
  createBlob: (context: unknown, blob: StoredBlob, ...conditions: readonly unknown[]) => Promise<unknown>;
  deleteBlob: (
    ...of: readonly [context: unknown, account: string, container: string, name: string, ...options: unknown[]]
  ) => Promise<unknown>;
};

const EXTENTS = '__blobstorage__';
/** A response may still read the former bytes. */
const DELAY_MS = 10_000;

const overwrite = ({ id, offset, count }: Chunk): void => {
  const file = openSync(join(EXTENTS, id), 'r+');
  try {
    writeSync(file, Buffer.alloc(count), 0, count, offset);
  } finally {
    closeSync(file);
  }
};

const chunkOf = (index: BlobIndex, { accountName, containerName, name }: BlobName): Chunk | undefined =>
  index.db.getCollection(index.BLOBS_COLLECTION)?.findOne({ accountName, containerName, name, snapshot: '' })
    ?.persistency;

const isSame = (one: Chunk, other: Chunk | undefined): boolean => one.id === other?.id && one.offset === other.offset;

/**
 * Call it once, with the prototype of the index.
 *
 * @param after runs its function once, later
 */
export const overwriteFormerKeys = (
  index: BlobIndex,
  after: (delay_ms: number, run: () => void) => void,
  overwriteChunk: (chunk: Chunk) => void = overwrite,
): void => {
  const { createBlob, deleteBlob } = index;

  /** Also after a refused write, because Azurite stores the bytes before it checks the conditions. */
  const overwriteLater = (own: BlobIndex, blob: StoredBlob): void => {
    if (keyTreeAt(blob.name) === null) return;
    const chunks = [chunkOf(own, blob), blob.persistency].filter((chunk) => chunk !== undefined);
    after(DELAY_MS, () => {
      const current = chunkOf(own, blob);
      for (const chunk of chunks) if (!isSame(chunk, current)) overwriteChunk(chunk);
    });
  };

  index.createBlob = function create(this: BlobIndex, context, blob, ...conditions) {
    overwriteLater(this, blob);
    return createBlob.call(this, context, blob, ...conditions);
  };

  index.deleteBlob = function remove(this: BlobIndex, context, accountName, containerName, name, ...options) {
    overwriteLater(this, { accountName, containerName, name });
    return deleteBlob.call(this, context, accountName, containerName, name, ...options);
  };
};

/** Runs functions after a delay, or when the process exits. */
export const runLater = (): ((delay_ms: number, run: () => void) => void) => {
  const waiting = new Set<() => void>();
  process.on('exit', () => {
    for (const run of waiting) run();
  });
  return (delay_ms, run) => {
    waiting.add(run);
    setTimeout(() => {
      waiting.delete(run);
      run();
    }, delay_ms).unref();
  };
};
