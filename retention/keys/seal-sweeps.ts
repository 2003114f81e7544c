import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { IgnoredSeals } from '../../read-models/renders/ignored-seals.ts';
import type { UnpuncturedSeal, UnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
import type { Puncture } from '../erasure/puncture.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type SealSweepDependencies = {
  readonly puncture: Puncture;
  readonly unpunctured: UnpuncturedSeals;
  readonly ignored_seals: Pick<IgnoredSeals, 'unpunctured' | 'setPunctured'>;
  readonly clock: Pick<Clock, 'now'>;
};

const IGNORED_EVERY_MS = 5_000;
const AGAIN_EVERY_MS = 60_000;
const SEALS_OF_A_PAGE = 500;

/** Whether an operator must act before a puncture can succeed. */
const isOfOperator = (error: unknown): boolean =>
  error instanceof BlobFault && (error.tag === 'refused' || error.tag === 'corrupt');

/** `fault`: the first fault that may pass without an operator; these seals are in none of the lists. */
const punctureEach = async (puncture: Puncture, seals: readonly UnpuncturedSeal[]) => {
  const done: UnpuncturedSeal[] = [];
  const refused: UnpuncturedSeal[] = [];
  const faults: unknown[] = [];
  await Promise.all(
    seals.map((seal) =>
      puncture(seal).then(
        () => done.push(seal),
        (error: unknown) => (isOfOperator(error) ? refused.push(seal) : faults.push(error)),
      ),
    ),
  );
  return { done, refused, fault: faults[0] };
};

/** Punctures keys of requests that the fold ignored. A key that Blob refuses to puncture moves to `unpunctured_seals`. */
const ignoredSealSweep = ({ puncture, unpunctured, ignored_seals, clock }: SealSweepDependencies): Sweep => ({
  name: 'ignored_seals',
  every_ms: IGNORED_EVERY_MS,
  page: async () => {
    const seals = await ignored_seals.unpunctured(SEALS_OF_A_PAGE);
    const { done, refused, fault } = await punctureEach(puncture, seals);
    await unpunctured.add(refused, new Date(clock.now()));
    await ignored_seals.setPunctured([...done, ...refused]);
    if (fault !== undefined) throw fault;
    return { next: seals.length < SEALS_OF_A_PAGE ? null : '', removed: {} };
  },
});

/** Tries again to puncture the keys that Blob refused to puncture. */
const unpuncturedSealSweep = ({ puncture, unpunctured }: SealSweepDependencies): Sweep => ({
  name: 'unpunctured_seals',
  every_ms: AGAIN_EVERY_MS,
  page: async (from) => {
    const seals = await unpunctured.page(from, SEALS_OF_A_PAGE);
    const { done, fault } = await punctureEach(puncture, seals);
    await unpunctured.remove(done);
    if (fault !== undefined) throw fault;
    return { next: seals.length < SEALS_OF_A_PAGE ? null : (seals.at(-1)?.id ?? null), removed: {} };
  },
});

export const sealSweeps = (deps: SealSweepDependencies): readonly Sweep[] => [
  ignoredSealSweep(deps),
  unpuncturedSealSweep(deps),
];
