import type { Attempt } from '../render/render.ts';
import type { DispatchState, KnownWorker, OpenRender } from './dispatch.ts';
import { WORKER_FRESH_MS } from './liveness.ts';
import { isCountedLoss } from './loss-reasons.ts';
import { machineOf } from './machine.ts';
import { isOnProbation, isSetAside } from './set-aside.ts';

export type AvailableWorker = {
  readonly worker_id: string;
  readonly machine: string;
  readonly engines: readonly number[];
  slots: number;
};

/** Only a worker that is `offering` gets attempts. */
export type WorkerStanding = 'offering' | 'silent' | 'draining' | 'impeded' | 'set_aside';
export const WORKER_STANDINGS: readonly WorkerStanding[] = ['offering', 'silent', 'draining', 'impeded', 'set_aside'];

export const workerStandingOf = (dispatch: DispatchState, worker: KnownWorker, now: number): WorkerStanding => {
  if (now - worker.last_heartbeat_at > WORKER_FRESH_MS) return 'silent';
  if (worker.draining) return 'draining';
  if (worker.impediments.length > 0) return 'impeded';
  return isSetAside(dispatch.streaks.get(worker.machine), now) ? 'set_aside' : 'offering';
};

export const availableWorkers = (
  dispatch: DispatchState,
  taken: (worker: KnownWorker) => number,
  now: number,
): readonly AvailableWorker[] => {
  const offers: AvailableWorker[] = [];
  for (const worker of dispatch.workers.values()) {
    if (workerStandingOf(dispatch, worker, now) !== 'offering') continue;
    const { worker_id, machine, engines } = worker;
    const slots = isOnProbation(dispatch.streaks.get(machine)) ? Math.min(1, worker.slots) : worker.slots;
    offers.push({ worker_id, machine, engines, slots: Math.max(0, slots - taken(worker)) });
  }
  return offers;
};

/**
 * True if the attempt was lost for a reason that may lie in the render. Other machines should then try the render
 * before this one tries it again.
 */
const speaksOfRender = ({ lost }: Attempt): boolean =>
  lost !== null && (isCountedLoss(lost) || lost === 'environment_payload');

const isOfVersion = ({ lost }: Attempt): boolean => lost === 'environment_version';

export const incompatibleEngines = (open: OpenRender, workers: DispatchState['workers']): ReadonlySet<number> =>
  new Set([
    ...open.unreadable_by,
    ...open.render.attempts.filter(isOfVersion).flatMap(({ worker_id }) => workers.get(worker_id)?.engines ?? []),
  ]);

/** `elsewhere` is true if a machine of `offers` has not lost the render for a reason that may lie in the render. */
export type CandidateWorkers = { readonly offers: readonly AvailableWorker[]; readonly elsewhere: boolean };

/**
 * Omits workers that cannot read the render. If a machine without a loss of the render exists, only such machines
 * remain, even if the render must wait for their slots.
 */
export const candidateWorkersFor = (
  open: OpenRender,
  offers: readonly AvailableWorker[],
  workers: DispatchState['workers'],
): CandidateWorkers => {
  const { attempts } = open.render;
  if (attempts.length === 0) return { offers, elsewhere: offers.length > 0 };
  const unreadable = attempts.some(isOfVersion) ? incompatibleEngines(open, workers) : new Set<number>();
  const readers = offers.filter(
    ({ engines }) => engines.length === 0 || engines.some((version) => !unreadable.has(version)),
  );
  const tried = new Set(attempts.filter(speaksOfRender).map(({ worker_id }) => machineOf(worker_id)));
  const others = readers.filter(({ machine }) => !tried.has(machine));
  return { offers: others.length > 0 ? others : readers, elsewhere: others.length > 0 };
};

/**
 * The worker with the most free slots. A machine that lost this render comes last. Undefined if there is no free slot.
 */
export const chooseWorker = (open: OpenRender, { offers }: CandidateWorkers): AvailableWorker | undefined => {
  const lost_by = new Set(open.render.attempts.map(({ worker_id }) => machineOf(worker_id)));
  const rank = (offer: AvailableWorker): number => (lost_by.has(offer.machine) ? 0 : 1_000_000) + offer.slots;
  let best: AvailableWorker | undefined;
  for (const offer of offers) if (offer.slots > 0 && (best === undefined || rank(offer) > rank(best))) best = offer;
  return best;
};
