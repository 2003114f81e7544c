import { LRUCache } from 'lru-cache';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { NOTHING_REMOVED, type RemovedCounts } from './progress.ts';

/** The result of a step. `next` is the start of the next step; null if the erasure has nothing left to do now. */
export type ErasureStep = { readonly next: string | null; readonly removed: RemovedCounts };

/**
 * Makes a step of an erasure. Another process may repeat it, also after a restore.
 *
 * @param from null at the beginning
 */
export type EraseStep = (entity: ErasedEntity, from: string | null, signal: AbortSignal) => Promise<ErasureStep>;

export type OpenErasure = { readonly entity: ErasedEntity; readonly next: string | null };

/**
 * A queue of erasures that need further steps. Tenants take turns with one step each, and so do the erasures of one
 * tenant.
 */
export type OpenErasures = {
  readonly has: (id: string) => boolean;
  readonly isBusy: (tenant_id: string) => boolean;
  /** Adds an erasure. False if too many are open, in total or of the tenant. */
  readonly add: (erasure: OpenErasure) => boolean;
  readonly end: (id: string) => void;
  /** Whether the erasure ended within the last minute, so that other entities are checked first. */
  readonly hasJustEnded: (id: string) => boolean;
  readonly all: () => readonly OpenErasure[];
  /**
   * Makes the next step. Rejects when `signal` aborts.
   *
   * @returns null if no erasure is open
   */
  readonly step: (signal: AbortSignal) => Promise<RemovedCounts | null>;
};

/**
 * The maximum number of open erasures: they are stored in the lease document, which has at most 16 MB. Later passes
 * find the others again.
 */
const MAX_OPEN = 2_000;
const MAX_OF_A_TENANT = 20;
/** After this many failures in a row, the erasure is left to the next pass. */
const MAX_FAILURES = 3;
const FAILED_PAUSE_MS = 1_000;
const JUST_MS = 60_000;
const MAX_REMEMBERED = 10_000;

type Queued = OpenErasure & { readonly failures: number };

export const openErasures = (step: EraseStep, clock: Clock, warn: Warn): OpenErasures => {
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
      // The erasure stays open while its step runs.
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
        warn({ error, id: entity.id }, 'an erasure cannot be completed yet');
        await clock.sleep(FAILED_PAUSE_MS, signal).catch(() => undefined);
        return NOTHING_REMOVED;
      } finally {
        at_work = null;
      }
    },
  };
};
