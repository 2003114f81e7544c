import { rm } from 'node:fs/promises';

export type KeptFile = {
  readonly file: string;
  readonly size_bytes: number;
  /** Time at which the entry was added; monotonic ms. */
  readonly at: number;
  readonly stop: AbortController;
  users: number;
  fetched: boolean;
  /** Rejects if the file cannot be fetched. */
  ready: Promise<void>;
};

/** The files of an LRU cache with a size limit. */
export type KeptFiles = {
  readonly has: (path: string) => boolean;
  /** Makes the entry the most recently used one. */
  readonly use: (path: string) => KeptFile | undefined;
  readonly fits: (size_bytes: number) => boolean;
  readonly add: (path: string, entry: KeptFile) => void;
  /** The entry gets no new users. Its bytes remain reserved. */
  readonly hide: (path: string, entry: KeptFile) => void;
  readonly drop: (path: string, entry: KeptFile) => void;
  /** Evicts unused files until this many bytes fit. False if too few can be evicted. */
  readonly makeRoom: (size_bytes: number) => Promise<boolean>;
  readonly evictUnused: (matches: (entry: KeptFile) => boolean) => Promise<void>;
};

export const createKeptFiles = (limit_bytes: number): KeptFiles => {
  // Keyed by path, so that no account gets a file of another account's project.
  const kept = new Map<string, KeptFile>();
  let total_bytes = 0;

  const fits = (size_bytes: number): boolean => total_bytes + size_bytes <= limit_bytes;

  const hide = (path: string, entry: KeptFile): void => {
    if (kept.get(path) === entry) kept.delete(path);
  };

  // Removes the entry first, so that no user takes it meanwhile. Its bytes count as free once the file is deleted.
  const evict = async (path: string, entry: KeptFile): Promise<void> => {
    kept.delete(path);
    await rm(entry.file, { force: true });
    total_bytes -= entry.size_bytes;
  };

  return {
    has: (path) => kept.has(path),
    use: (path) => {
      const entry = kept.get(path);
      if (entry === undefined) return undefined;
      kept.delete(path);
      kept.set(path, entry);
      return entry;
    },
    fits,
    add: (path, entry) => {
      kept.set(path, entry);
      total_bytes += entry.size_bytes;
    },
    hide,
    drop: (path, entry) => {
      hide(path, entry);
      total_bytes -= entry.size_bytes;
    },
    makeRoom: async (size_bytes) => {
      if (size_bytes > limit_bytes) return false;
      for (const [path, entry] of kept) {
        if (fits(size_bytes)) break;
        if (entry.users > 0) continue;
        await evict(path, entry);
      }
      return fits(size_bytes);
    },
    evictUnused: async (matches) => {
      for (const [path, entry] of kept) if (entry.users === 0 && matches(entry)) await evict(path, entry);
    },
  };
};
