import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { type BlobKind, NOTHING_REMOVED, plus, type Removed } from './progress.ts';
import type { Sweep, SweepName } from './run-sweeps.ts';

export type ErasedSweepParts = {
  /** Of those that were erased within a day, and of all. */
  readonly names: readonly [lately: SweepName, all: SweepName];
  /** What is removed. */
  readonly kind: BlobKind;
  readonly erased: ErasedEntities;
  /** Ends what one of them still has. Each step can be repeated, by another process and after a restore. */
  readonly finish: (entity: ErasedEntity, signal: AbortSignal) => Promise<Removed>;
  readonly clock: Clock;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;
const OFTEN_MS = 5_000;
const ENTITIES_OF_A_PAGE = 100;
/** Then a server is away, it seems, and the page is swept again later. */
const MOST_FAULTS_IN_A_ROW = 5;
/** Of the same page: then it is these that cannot be finished, and the sweep goes on behind them. */
const MOST_TRIES = 3;

/**
 * What follows from erasures. What was erased within a day is looked at again and again, as something of it may still run
 * or have crossed the erasure; all else once a day, as a restored store or Blob may have brought something back. One that
 * cannot be finished holds up no other for long: another pass finds it again.
 */
export const erasedSweeps = ({ names, kind, erased, finish, clock, warn }: ErasedSweepParts): readonly Sweep[] => {
  const sweep = (name: SweepName, every_ms: number, since: () => number): Sweep => {
    let given_up: { readonly from: string | null; readonly tries: number } | null = null;
    const isLastTry = (from: string | null): boolean => {
      given_up = { from, tries: given_up?.from === from ? given_up.tries + 1 : 1 };
      return given_up.tries === MOST_TRIES;
    };
    const page: Sweep['page'] = async (from, signal) => {
      const found = await erased(since(), from, ENTITIES_OF_A_PAGE);
      let all = NOTHING_REMOVED;
      let [faults, in_a_row] = [0, 0];
      let last = found.at(-1);
      for (const entity of found)
        try {
          all = plus(all, await finish(entity, signal));
          in_a_row = 0;
        } catch (error) {
          [faults, in_a_row] = [faults + 1, in_a_row + 1];
          if (signal.aborted) throw error;
          if (in_a_row === MOST_FAULTS_IN_A_ROW || faults === found.length) {
            if (!isLastTry(from)) throw error;
            last = entity;
          }
          warn({ error, id: entity.id }, 'what was erased cannot be finished yet');
          if (last === entity) break;
        }
      const is_end = found.length < ENTITIES_OF_A_PAGE && last === found.at(-1);
      return { next: is_end ? null : (last?.position ?? null), removed: all.removed === 0 ? {} : { [kind]: all } };
    };
    return { name, every_ms, page };
  };
  const [lately, all] = names;
  return [sweep(lately, OFTEN_MS, () => clock.now() - DAY_MS), sweep(all, DAY_MS, () => 0)];
};
