import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import { type BlobServer, connectTo, remove, sickenIfNext, store } from './blobs.ts';
import type { Life } from './world/life.ts';
import type { World } from './world/world.ts';

/** Blobs with an ETag. Answers are lost before and after the effect of a request, and no request is repeated. */
export const openSimulatedVersionedBlobs = (world: World, server: BlobServer, life: Life): VersionedBlobs => {
  const request = connectTo(world, server, life);
  const now = (): number => world.scheduler.now();

  const loseAnswer = (path: string): void => {
    if (world.random.chance(server.lost_answers)) throw new BlobFault('unavailable', path, 'the request was lost');
  };

  const write = <A>(path: string, effect: () => A): Promise<A> =>
    request(path, undefined, true, () => {
      loseAnswer(path);
      return effect();
    });

  return {
    ensureContainer: async () => undefined,
    read: (path) =>
      request(path, undefined, false, () => {
        loseAnswer(path);
        const bytes = server.blobs.get(path);
        return bytes === undefined ? null : { bytes, version: server.versions.get(path) ?? '' };
      }),
    create: (path, bytes) =>
      write(path, () => {
        if (server.blobs.has(path)) return false;
        store(server, path, Buffer.from(bytes), now());
        sickenIfNext(world, server, path);
        return true;
      }),
    replace: (path, bytes, version) =>
      write(path, () => {
        if (!server.blobs.has(path) || server.versions.get(path) !== version) return false;
        store(server, path, Buffer.from(bytes), now());
        return true;
      }),
    remove: (path) => write(path, () => remove(server, path, now())),
  };
};
