import { LRUCache } from 'lru-cache';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { EmailPayload } from '../../schemas/blobs/payloads.ts';

const MAX_KEPT = 10_000;
/** How long an address is cached. An erased address may be shown for this long. */
const KEPT_MS = 10_000;

/** Reads an address; null if the user has none, or if it was erased. Rejects on outage of the blob store. */
export type ReadEmail = (reference: PayloadRef | null) => Promise<string | null>;

export const openEmailReader = (blobs: BlobStore, clock: Clock): ReadEmail => {
  const load = async (_path: string, _stale: unknown, { context }: { readonly context: PayloadRef }) => {
    try {
      const payload: unknown = JSON.parse((await blobs.getPayload(context)).toString('utf8'));
      return { email: EmailPayload.is(payload) ? payload.email : null };
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'not_found') return { email: null };
      throw error;
    }
  };
  const kept = new LRUCache<string, { readonly email: string | null }, PayloadRef>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    perf: { now: clock.monotonic },
    fetchMethod: load,
  });
  return async (reference) =>
    reference === null ? null : ((await kept.fetch(reference.path, { context: reference }))?.email ?? null);
};
