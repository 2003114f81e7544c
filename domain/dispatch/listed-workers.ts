import type { DispatcherBeat, WorkerBeat } from './heartbeats.ts';
import { machineOf } from './machine.ts';

export type TimestampedHeartbeat = {
  readonly beat: WorkerBeat | DispatcherBeat /** Append time, ms. */;
  readonly at: number;
};

/** A dispatcher forgets a worker whose last heartbeat is older. */
export const MAX_HEARTBEAT_AGE_MS = 60_000;
/** After three missed heartbeats, a worker counts as silent. */
const SILENT_MS = 6_000;

/** A worker by its newest heartbeat, with the pause of its machine by the dispatcher's newest heartbeat. */
export type ListedWorker = {
  readonly worker_id: string | null;
  readonly machine: string;
  readonly standing: 'offering' | 'silent' | 'draining' | 'impeded' | 'set_aside';
  readonly impediments: readonly string[];
  readonly losses: number | null;
  readonly left_ms: number | null;
  readonly attempts: number;
  readonly helping: number;
  readonly slots: number;
  readonly engines: readonly number[];
  readonly heard_ms_ago: number | null;
};

const standingOf = (beat: WorkerBeat, age_ms: number, aside: boolean): ListedWorker['standing'] => {
  if (age_ms > SILENT_MS) return 'silent';
  if (beat.draining) return 'draining';
  if (beat.impediments.length > 0) return 'impeded';
  return aside ? 'set_aside' : 'offering';
};

/**
 * @param beats in log order
 * @param now in ms since the epoch
 */
export const listedWorkers = (beats: readonly TimestampedHeartbeat[], now: number): readonly ListedWorker[] => {
  const newest = new Map<string, { readonly beat: WorkerBeat; readonly at: number }>();
  let dispatcher: { readonly beat: DispatcherBeat; readonly at: number } | null = null;
  for (const { beat, at } of beats) {
    if (now - at > MAX_HEARTBEAT_AGE_MS) continue;
    if (beat.type === 'WorkerBeat') newest.set(beat.worker_id, { beat, at });
    else dispatcher = { beat, at };
  }
  const passed_ms = dispatcher === null ? 0 : Math.max(0, now - dispatcher.at);
  const aside = (dispatcher?.beat.set_aside ?? []).map((one) => ({
    ...one,
    left_ms: Math.max(0, one.left_ms - passed_ms),
  }));
  const workers = [...newest.values()].map(({ beat, at }): ListedWorker => {
    const machine = machineOf(beat.worker_id);
    const pause = aside.find(({ machine_id }) => machine_id === machine);
    const age_ms = Math.max(0, now - at);
    return {
      ...{ worker_id: beat.worker_id, machine, standing: standingOf(beat, age_ms, pause !== undefined) },
      ...{ impediments: beat.impediments, losses: pause?.losses ?? null, left_ms: pause?.left_ms ?? null },
      ...{
        attempts: beat.attempts.length,
        helping: beat.helps.length,
        slots: beat.slots,
        engines: beat.engines,
        heard_ms_ago: age_ms,
      },
    };
  });
  const absent = aside
    .filter(({ machine_id }) => workers.every(({ machine }) => machine !== machine_id))
    .map(
      ({ machine_id: machine, losses, left_ms }): ListedWorker => ({
        ...{ worker_id: null, machine, standing: 'set_aside', impediments: [], losses, left_ms },
        ...{ attempts: 0, helping: 0, slots: 0, engines: [], heard_ms_ago: null },
      }),
    );
  return [...workers, ...absent];
};
