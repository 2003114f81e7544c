import { createHash } from 'node:crypto';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { keyTreeAt } from '../../schemas/blobs/paths.ts';
import { bytesAt, requireRoom, writeNow } from './machine/disk.ts';
import type { Life } from './world/life.ts';
import { BEGIN_MS } from './world/process-globals.ts';
import type { World } from './world/world.ts';

/** The content of a key tree from a time on, ms; null without a blob. */
export type TreeVersion = { readonly at: number; readonly bytes: Buffer | null };

export type BlobServer = {
  readonly blobs: Map<string, Buffer>;
  readonly hashes: Map<string, string>;
  readonly stored_at: Map<string, number>;
  /** The ETag of each blob. */
  readonly versions: Map<string, string>;
  /** All versions of key trees, in order. */
  readonly tree_versions: Map<string, TreeVersion[]>;
  /** Blobs that a restored backup lacked, with the time of the restore, ms. */
  readonly lost: Map<string, number>;
  written: number;
  /** Called with each deleted blob and the time when it was stored. */
  removed: (path: string, stored_at: number) => void;
  away: boolean;
  lost_answers: number;
  /** Blobs that the server does not serve, with the kind of answer. */
  readonly sick: Map<string, 'refused' | 'failing'>;
  /** Whether the next stored payload of a request or the next key tree is added to `sick`. */
  sickens_next: boolean;
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const sickenIfNext = (world: World, server: BlobServer, path: string): void => {
  if (!server.sickens_next) return;
  server.sickens_next = false;
  server.sick.set(path, 'failing');
  world.trace(`${path} is sick`);
};

/** The faults that `azure-faults.ts` derives from 403 and 500. */
const faultOf = (path: string, sick: 'refused' | 'failing'): BlobFault =>
  new BlobFault(sick === 'refused' ? 'refused' : 'unavailable', path, 'this blob is not served');

export const noteTree = ({ blobs, tree_versions }: BlobServer, path: string, at: number): void => {
  if (keyTreeAt(path) === null) return;
  const versions = tree_versions.get(path) ?? [];
  tree_versions.set(path, versions);
  versions.push({ at, bytes: blobs.get(path) ?? null });
};

export const store = (server: BlobServer, path: string, bytes: Buffer, at: number): void => {
  server.written += 1;
  server.versions.set(path, `etag-${server.written}`);
  server.blobs.set(path, bytes);
  noteTree(server, path, at);
  server.stored_at.set(path, at);
};

export const remove = (server: BlobServer, path: string, at: number): void => {
  server.hashes.delete(path);
  server.versions.delete(path);
  if (!server.blobs.delete(path)) return;
  noteTree(server, path, at);
  server.removed(path, server.stored_at.get(path) ?? 0);
};

export const connectTo = (world: World, server: BlobServer, life: Life) => {
  const { random } = world;

  const asked = <A>(path: string, signal: AbortSignal | undefined, is_write: boolean, work: () => A): Promise<A> => {
    const takes_ms = server.away ? random.between(100, 3_000) : 1 + random.next() * (random.chance(0.05) ? 800 : 15);
    const answer = life.ask(takes_ms, () => {
      if (server.away) throw new BlobFault('unavailable', path, 'the blob store is away');
      const sick = server.sick.get(path);
      if (sick !== undefined) throw faultOf(path, sick);
      const result = work();
      if (is_write && random.chance(server.lost_answers)) throw new BlobFault('unavailable', path, 'no answer');
      return result;
    });
    if (signal === undefined) return answer;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(signal.reason);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    });
  };
  return asked;
};

/** @param read replaces the reads of a process with a fault */
export const openSimulatedBlobs = (
  world: World,
  server: BlobServer,
  life: Life,
  read: (path: string, bytes: Buffer) => Buffer = (_path, bytes) => bytes,
): BlobStore => {
  const asked = connectTo(world, server, life);
  const found = (path: string): Buffer => {
    const bytes = server.blobs.get(path);
    if (bytes === undefined) throw new BlobFault('not_found', path, `there is no blob at ${path}`);
    return bytes;
  };
  const notUsed = async (): Promise<never> => {
    throw new Error('the simulated blob store does not do that');
  };

  return {
    ensureContainer: async () => undefined,
    putPayload: (path, bytes, _content_type, signal) =>
      asked(path, signal, true, () => {
        server.written += 1;
        const unique = path.replace(/\.json$/, `-${server.written}.json`);
        store(server, unique, Buffer.from(bytes), world.scheduler.now());
        if (path.includes('request')) sickenIfNext(world, server, unique);
        return { path: unique, sha256: sha256(bytes) };
      }),
    getPayload: ({ path }, signal) => asked(path, signal, false, () => read(path, found(path))),
    // The simulation stores no salts.
    getSaltedPayload: ({ path }, signal) =>
      asked(path, signal, false, () => ({ bytes: read(path, found(path)), salt: '' })),
    writeText: (path, text, signal) =>
      asked(path, signal, true, () => store(server, path, Buffer.from(text), world.scheduler.now())),
    readText: (path, signal) => asked(path, signal, false, () => server.blobs.get(path)?.toString() ?? null),
    upload: (path, file, { signal }) =>
      asked(path, signal, true, () => {
        const bytes = bytesAt(file);
        store(server, path, bytes, world.scheduler.now());
        return { size_bytes: bytes.length, sha256: sha256(bytes) };
      }),
    copy: notUsed,
    download: notUsed,
    signedUrl: async (path) => `https://blobs.invalid/${path}`,
    exists: (path) => asked(path, undefined, false, () => server.blobs.has(path)),
    sizeOf: (path, signal) => asked(path, signal, false, () => found(path).length),
    remove: (path) => asked(path, undefined, true, () => remove(server, path, world.scheduler.now())),
    deletePrefix: notUsed,
    healthy: () => asked('', undefined, false, () => true).catch(() => false),
  };
};

const OF_A_PAGE = 3;

/** Changes an encoded part on the server: removes it, replaces its bytes, or truncates it without a trace. */
export const damage = (server: BlobServer, path: string, now: number, how: 'removed' | 'changed' | 'cut'): void => {
  const bytes = server.blobs.get(path);
  if (bytes === undefined) return;
  if (how === 'removed') remove(server, path, now);
  else if (how === 'changed') server.blobs.set(path, changedBytes(bytes));
  else {
    const cut = bytes.subarray(0, bytes.length >> 1);
    server.blobs.set(path, cut);
    server.hashes.set(path, sha256(cut));
  }
};

export const changedBytes = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes);
  const middle = bytes.length >> 1;
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  return changed;
};

/**
 * Blobs as sweeps and the segment cache see them.
 *
 * @param is_checked whether fetched bytes are compared with their hash
 */
export const openSimulatedEvictableBlobs = (
  world: World,
  server: BlobServer,
  life: Life,
  is_checked: boolean = true,
): Pick<EvictableBlobs, 'list' | 'remove' | 'now' | 'putOnce' | 'fetch' | 'exists'> => {
  const asked = connectTo(world, server, life);
  return {
    putOnce: (path, file, signal) => {
      const bytes = bytesAt(file);
      return asked(path, signal, true, () => {
        if (server.blobs.has(path)) return false;
        store(server, path, bytes, world.scheduler.now());
        server.hashes.set(path, sha256(bytes));
        return true;
      });
    },
    fetch: (path, file, signal) =>
      asked(path, signal, false, () => {
        const bytes = server.blobs.get(path);
        if (bytes === undefined) throw new BlobFault('not_found', path, `there is no blob at ${path}`);
        if (is_checked && server.hashes.get(path) !== sha256(bytes))
          throw new BlobFault('corrupt', path, `${path} is not what was stored`);
        requireRoom(file, 'write');
        writeNow(file, bytes);
      }),
    exists: (path, signal) => asked(path, signal, false, () => server.blobs.has(path)),
    list: (prefix, from, signal, count = OF_A_PAGE) =>
      asked(prefix, signal, false, () => {
        const paths = [...server.blobs.keys()].filter((path) => path.startsWith(prefix) && path > (from ?? ''));
        const all = paths.toSorted();
        const page = all.slice(0, Math.min(count, OF_A_PAGE));
        return {
          found: page.map((path) => ({
            path,
            size_bytes: server.blobs.get(path)?.length ?? 0,
            stored_at: BEGIN_MS + Math.floor((server.stored_at.get(path) ?? 0) / 1_000) * 1_000,
          })),
          next: page.length < all.length ? (page.at(-1) ?? null) : null,
        };
      }),
    remove: (path, signal) => asked(path, signal, true, () => remove(server, path, world.scheduler.now())),
    now: (signal) => asked('', signal, false, () => BEGIN_MS + Math.floor(world.scheduler.now() / 1_000) * 1_000),
  };
};
