import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import type { HeldLease } from '../lease/lease.ts';
import { type EraseStep, type OpenErasure, openErasures } from './open-erasures.ts';
import { addRemoved, type BlobKind, NOTHING_REMOVED, type RemovedCounts } from './progress.ts';
import type { Sweep, SweepName, SweepsProgress } from './run-sweeps.ts';

export type ErasedSweepDependencies = {
  /** Names of two sweeps: for entities erased within a day, and for all. */
  readonly names: readonly [lately: SweepName, all: SweepName];
  readonly kind: BlobKind;
  readonly erased: ErasedEntities;
  readonly step: EraseStep;
  readonly clock: Clock;
  readonly warn: Warn;
};

export type ErasedSweeps = {
  readonly kind: BlobKind;
  readonly sweeps: readonly Sweep[];
  /**
   * Makes one step of the open erasures.
   *
   * @returns null if no erasure is open
   */
  readonly step: (signal: AbortSignal) => Promise<RemovedCounts | null>;
  /** Runs steps until the lease is lost. Continues where the former holder stopped. */
  readonly run: (lease: HeldLease<SweepsProgress>, onRemoved: (removed: RemovedCounts) => void) => Promise<void>;
};

const DAY_MS = 86_400_000;
const OFTEN_MS = 5_000;
const ENTITIES_OF_A_PAGE = 100;
/** After this many failures in a row, the page is retried later, because they suggest an outage. */
const MAX_FAULTS_IN_A_ROW = 5;
/** After this many failed tries of a page, the sweep skips the entities that it cannot finish. */
const MAX_TRIES = 3;
const IDLE_MS = 250;
/** The interval between saves of the progress. If the process is killed, the steps since the last save are repeated. */
const SAVE_EVERY_MS = 3_000;

/** The members that every sweep has: earlier versions treat every member of the progress as a sweep, also `open`. */
const NO_PASS = { pass: null, last: null } as const;

/**
 * Completes erasures.
 *
 * - Entities erased within a day are checked often, because running work may write after the erasure.
 * - Others are checked once a day, because a restore may have brought data back.
 * - An entity that cannot be finished is left to the next pass, so that it does not delay others.
 * - A pass does only the first step of each erasure. Further steps are queued, and a tenant with an open erasure starts
 * no second one.
 */
export const erasedSweeps = ({ names, kind, erased, step, clock, warn }: ErasedSweepDependencies): ErasedSweeps => {
  const open = openErasures(step, clock, warn);

  /** Makes the first step of an erasure. `has_place`: whether its other steps fit into the open erasures. */
  const begin = async (entity: ErasedEntity, signal: AbortSignal) => {
    if (open.has(entity.id)) return { removed: NOTHING_REMOVED, has_place: true };
    if (open.isBusy(entity.tenant_id)) {
      const has_place = open.hasJustEnded(entity.id) || open.add({ entity, next: null });
      return { removed: NOTHING_REMOVED, has_place };
    }
    const { next, removed } = await step(entity, null, signal);
    if (next !== null) return { removed, has_place: open.add({ entity, next }) };
    open.end(entity.id);
    return { removed, has_place: true };
  };

  const sweep = (name: SweepName, every_ms: number, since: () => number): Sweep => {
    let given_up: { readonly from: string | null; readonly tries: number } | null = null;
    const isLastTry = (from: string | null): boolean => {
      given_up = { from, tries: given_up?.from === from ? given_up.tries + 1 : 1 };
      return given_up.tries === MAX_TRIES;
    };
    /** The position before the first entity of this pass whose erasure did not fit into the open ones. */
    let passed_by: string | null = null;
    let began_at = clock.monotonic();
    /**
     * Where to continue after the last page: at `passed_by`, or at the beginning if the pass took longer than its
     * interval. Null if every erasure fit. So a tenant with many erasures does not keep others from being checked.
     */
    const again = (): string | null => {
      if (every_ms < DAY_MS || passed_by === null) return null;
      return clock.monotonic() - began_at < every_ms ? passed_by : '';
    };
    const page: Sweep['page'] = async (from, signal) => {
      if (from === null || from === '') began_at = clock.monotonic();
      const found = await erased(since(), from, ENTITIES_OF_A_PAGE);
      let all = NOTHING_REMOVED;
      let [faults, in_a_row] = [0, 0];
      let last = found.at(-1);
      for (const [n, entity] of found.entries())
        try {
          const { removed, has_place } = await begin(entity, signal);
          all = addRemoved(all, removed);
          if (!has_place) passed_by ??= found[n - 1]?.position ?? from ?? '';
          in_a_row = 0;
        } catch (error) {
          [faults, in_a_row] = [faults + 1, in_a_row + 1];
          if (signal.aborted) throw error;
          if (in_a_row === MAX_FAULTS_IN_A_ROW || faults === found.length) {
            if (!isLastTry(from)) throw error;
            last = entity;
          }
          warn({ error, id: entity.id }, 'an erasure cannot be completed yet');
          if (last === entity) break;
        }
      const is_end = found.length < ENTITIES_OF_A_PAGE && last === found.at(-1);
      const next = is_end ? again() : (last?.position ?? null);
      if (is_end) {
        if (next !== null) await clock.sleep(OFTEN_MS, signal);
        passed_by = null;
      }
      return { next, removed: all.removed === 0 ? {} : { [kind]: all } };
    };
    return { name, every_ms, page };
  };

  const run: ErasedSweeps['run'] = async ({ signal, progress, save }, onRemoved) => {
    for (const erasure of progress()?.open?.erasures[kind] ?? []) open.add(erasure);
    let saved: { readonly at: number; readonly text: string } = { at: clock.monotonic(), text: '' };
    const saveSometimes = async (): Promise<void> => {
      if (clock.monotonic() - saved.at < SAVE_EVERY_MS) return;
      const erasures: readonly OpenErasure[] = open.all();
      const text = JSON.stringify(erasures);
      const is_new = text !== saved.text;
      saved = { at: clock.monotonic(), text };
      if (is_new)
        await save((all) => ({ ...all, open: { ...NO_PASS, erasures: { ...all?.open?.erasures, [kind]: erasures } } }));
    };
    while (!signal.aborted)
      try {
        const removed = await open.step(signal);
        if (removed !== null && removed.removed > 0) onRemoved(removed);
        await saveSometimes();
        if (removed === null) await clock.sleep(IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        warn({ error }, 'the progress of erasures cannot be saved yet');
        await clock.sleep(SAVE_EVERY_MS, signal).catch(() => undefined);
      }
  };

  const [lately, all] = names;
  return {
    kind,
    sweeps: [sweep(lately, OFTEN_MS, () => clock.now() - DAY_MS), sweep(all, DAY_MS, () => 0)],
    step: open.step,
    run,
  };
};
