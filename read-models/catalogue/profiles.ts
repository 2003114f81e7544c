import { LRUCache } from 'lru-cache';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { NO_PROFILE, type Profile, profileOf } from '../../schemas/blobs/payloads.ts';

const MAX_KEPT = 10_000;
/** How long a profile is cached. An erased profile may be shown for this long. */
const KEPT_MS = 10_000;

/** Reads the name and the address of a user; null without one, or if it was erased. Rejects on blob store outage. */
export type ReadProfile = (reference: PayloadRef | null) => Promise<Profile>;

export const openProfileReader = (blobs: BlobStore, clock: Clock): ReadProfile => {
  const load = async (_path: string, _stale: unknown, { context }: { readonly context: PayloadRef }) => {
    try {
      return profileOf(JSON.parse((await blobs.getPayload(context)).toString('utf8')));
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'not_found') return NO_PROFILE;
      throw error;
    }
  };
  const kept = new LRUCache<string, Profile, PayloadRef>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    perf: { now: clock.monotonic },
    fetchMethod: load,
  });
  return async (reference) =>
    reference === null ? NO_PROFILE : ((await kept.fetch(reference.path, { context: reference })) ?? NO_PROFILE);
};
