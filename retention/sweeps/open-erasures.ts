import { LRUCache } from 'lru-cache';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { NOTHING_REMOVED, type Removed } from './progress.ts';

/** Result of one step. `next`: start of the next one; null if nothing is left to do now. */
export type ErasureStep = { readonly next: string | null; readonly removed: Removed };

/**
 * Does a bounded part of the erasure of an entity. Each step can be repeated, by another process and after a restore.
 *
 * @param from `next` of the step before; null at the beginning
 */
export type EraseStep = (entity: ErasedEntity, from: string | null, signal: AbortSignal) => Promise<ErasureStep>;

/** An erasure that waits for its turn, and its next start; null at its beginning. */
export type OpenErasure = { readonly entity: ErasedEntity; readonly next: string | null };

/** Erasures that wait for their turn. Tenants take turns with one step each, and so do the erasures of one tenant. */
export type OpenErasures = {
  readonly has: (id: string) => boolean;
  /** Whether an erasure of the tenant waits or runs. */
  readonly isBusy: (tenant_id: string) => boolean;
  /** False if there is no room now: too many are open, in total or of its tenant. */
  readonly add: (erasure: OpenErasure) => boolean;
  /** Nothing is left to do of it now. */
  readonly end: (id: string) => void;
  /** Whether that was a short time ago. Entities that were not checked yet come first. */
  readonly hasJustEnded: (id: string) => boolean;
  /** In the order of their turns. */
  readonly all: () => readonly OpenErasure[];
  /**
   * @returns the result; null if no erasure is open. Rejects when `signal` aborts
   */
  readonly step: (signal: AbortSignal) => Promise<Removed | null>;
};

/** They are stored with the lease, whose document has 16 MB at most. An erasure without room is found again later. */
const MAX_OPEN = 2_000;
const MAX_OF_A_TENANT = 20;
/** After so many failures in a row, an erasure is left to the next pass. */
const MAX_FAILURES = 3;
const FAILED_PAUSE_MS = 1_000;
const JUST_MS = 60_000;
const MAX_REMEMBERED = 10_000;

type Queued = OpenErasure & { readonly failures: number };

export const openErasures = (step: EraseStep, clock: Clock, warn: Warn): OpenErasures => {
  /** By tenant; the first one has the turn. */
  const queues = new Map<string, readonly Queued[]>();
  const ids = new Set<string>();
  const ended = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  let at_work: string | null = null;
  const queueOf = (tenant_id: string): readonly Queued[] => queues.get(tenant_id) ?? [];

  const push = (queued: Queued): void => {
    const { id, tenant_id } = queued.entity;
    ids.add(id);
    queues.set(tenant_id, [...queueOf(tenant_id), queued]);
  };

  /** The tenant goes to the end of the round. */
  const take = (): Queued | null => {
    const [tenant_id] = queues.keys();
    if (tenant_id === undefined) return null;
    const [first, ...others] = queueOf(tenant_id);
    queues.delete(tenant_id);
    if (others.length > 0) queues.set(tenant_id, others);
    if (first !== undefined) ids.delete(first.entity.id);
    return first ?? null;
  };

  return {
    has: (id) => ids.has(id),
    isBusy: (tenant_id) => tenant_id === at_work || queueOf(tenant_id).length > 0,
    add: (erasure) => {
      const { id, tenant_id } = erasure.entity;
      if (ids.has(id)) return true;
      if (ids.size >= MAX_OPEN || queueOf(tenant_id).length >= MAX_OF_A_TENANT) return false;
      push({ ...erasure, failures: 0 });
      return true;
    },
    end: (id) => void ended.set(id, clock.monotonic()),
    hasJustEnded: (id) => clock.monotonic() - (ended.get(id) ?? Number.NEGATIVE_INFINITY) < JUST_MS,
    all: () => [...queues.values()].flat().map(({ entity, next }) => ({ entity, next })),
    step: async (signal) => {
      const turn = take();
      if (turn === null) return null;
      const { entity, next, failures } = turn;
      // It stays open while its step runs.
      ids.add(entity.id);
      at_work = entity.tenant_id;
      try {
        const done = await step(entity, next, signal);
        ids.delete(entity.id);
        if (done.next === null) ended.set(entity.id, clock.monotonic());
        else push({ entity, next: done.next, failures: 0 });
        return done.removed;
      } catch (error) {
        ids.delete(entity.id);
        if (signal.aborted || failures + 1 < MAX_FAILURES) push({ ...turn, failures: failures + 1 });
        else ended.set(entity.id, clock.monotonic());
        signal.throwIfAborted();
        warn({ error, id: entity.id }, 'what was erased cannot be finished yet');
        await clock.sleep(FAILED_PAUSE_MS, signal).catch(() => undefined);
        return NOTHING_REMOVED;
      } finally {
        at_work = null;
      }
    },
  };
};
