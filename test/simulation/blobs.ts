import { createHash } from 'node:crypto';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Life } from './world/life.ts';
import type { World } from './world/world.ts';

/** The server of the blobs, as all processes have it. */
export type BlobServer = {
  readonly blobs: Map<string, Buffer>;
  away: boolean;
  /** Of a write: its answer is lost. */
  lost_answers: number;
  /** Blobs that the server does not serve, each alone, and what it answers. */
  readonly sick: Map<string, 'refused' | 'failing'>;
  /** The next payload of a request is one of them. */
  sickens_next: boolean;
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What `azure-faults.ts` makes of 403, and of 500. */
const faultOf = (path: string, sick: 'refused' | 'failing'): BlobFault =>
  new BlobFault(sick === 'refused' ? 'refused' : 'unavailable', path, 'this blob is not served');

/** @param read what a process out of order finds instead */
export const openSimulatedBlobs = (
  world: World,
  server: BlobServer,
  life: Life,
  read: (path: string, bytes: Buffer) => Buffer = (_path, bytes) => bytes,
): BlobStore => {
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
        // Each write has a path of its own.
        const unique = `${path}.${server.blobs.size}`;
        server.blobs.set(unique, Buffer.from(bytes));
        if (server.sickens_next && path.includes('request')) {
          server.sickens_next = false;
          server.sick.set(unique, 'failing');
          world.trace(`${unique} is sick`);
        }
        return { path: unique, sha256: sha256(bytes) };
      }),
    getPayload: ({ path }, signal) => asked(path, signal, false, () => read(path, found(path))),
    // Nothing is salted here.
    getSaltedPayload: ({ path }, signal) =>
      asked(path, signal, false, () => ({ bytes: read(path, found(path)), salt: '' })),
    writeText: notUsed,
    readText: notUsed,
    upload: (path, file, { signal }) =>
      asked(path, signal, true, () => {
        const bytes = Buffer.from(file);
        server.blobs.set(path, bytes);
        return { size_bytes: bytes.length, sha256: sha256(bytes) };
      }),
    download: notUsed,
    signedUrl: async (path) => `https://blobs.invalid/${path}`,
    exists: (path) => asked(path, undefined, false, () => server.blobs.has(path)),
    sizeOf: (path, signal) => asked(path, signal, false, () => found(path).length),
    remove: (path) =>
      asked(path, undefined, true, () => {
        server.blobs.delete(path);
      }),
    deletePrefix: notUsed,
    healthy: () => asked('', undefined, false, () => true).catch(() => false),
  };
};
