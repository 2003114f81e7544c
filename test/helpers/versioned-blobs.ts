import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlob, VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';

type Operation = 'read' | 'create' | 'replace' | 'remove';

/** Versioned blobs in memory. Tests may change `contents` directly, as a restore or an operator would. */
export type MemoryBlobs = {
  readonly blobs: VersionedBlobs;
  readonly contents: Map<string, VersionedBlob>;
  /** All operations so far, such as `create accounts/acc_1/keys/…`. */
  readonly operations: string[];
  /** The next operations of this kind wait until the returned function runs. */
  readonly hold: (operation: Operation) => () => void;
  /** While true, every operation rejects as `unavailable`, without an effect. */
  is_away: boolean;
};

export const memoryBlobs = (): MemoryBlobs => {
  let writes = 0;
  const held = new Map<Operation, Promise<void>>();

  const serve = async <A>(operation: Operation, path: string, run: () => A): Promise<A> => {
    memory.operations.push(`${operation} ${path}`);
    await held.get(operation);
    if (memory.is_away) throw new BlobFault('unavailable', path, 'the store of the test is away');
    return run();
  };
  const put = (path: string, bytes: Buffer): true => {
    writes += 1;
    memory.contents.set(path, { bytes: Buffer.from(bytes), version: `"${writes}"` });
    return true;
  };

  const memory: MemoryBlobs = {
    blobs: {
      ensureContainer: async () => undefined,
      read: (path) => serve('read', path, () => memory.contents.get(path) ?? null),
      create: (path, bytes) => serve('create', path, () => !memory.contents.has(path) && put(path, bytes)),
      replace: (path, bytes, version) =>
        serve('replace', path, () => memory.contents.get(path)?.version === version && put(path, bytes)),
      remove: (path) => serve('remove', path, () => void memory.contents.delete(path)),
    },
    contents: new Map(),
    operations: [],
    hold: (operation) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(operation, promise);
      return () => {
        held.delete(operation);
        resolve();
      };
    },
    is_away: false,
  };
  return memory;
};
