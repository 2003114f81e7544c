import type { DispatchState } from '../../domain/dispatch/dispatch.ts';
import { machinesSetAside } from '../../domain/dispatch/set-aside.ts';
import type { DispatchDependencies } from './dispatch-dependencies.ts';

const HEARTBEATS_REMEMBERED = 32;
/** Maximum number of machines that a heartbeat names as set aside, so that the record stays small. */
const MAX_SET_ASIDE = 100;

export type OwnHeartbeats = {
  readonly send: () => Promise<void>;
  /** Monotonic ms; undefined for a heartbeat that this process has forgotten. */
  readonly sentAt: (beat: number) => number | undefined;
};

/** The heartbeats of the active dispatcher, which it reads back from the log. */
export const ownHeartbeats = (
  { records, dispatcher_id, by, clock }: Pick<DispatchDependencies, 'records' | 'dispatcher_id' | 'by' | 'clock'>,
  state: () => DispatchState,
): OwnHeartbeats => {
  const sentAt = new Map<number, number>();
  let beat = 0;
  return {
    send: async () => {
      beat += 1;
      const number = beat;
      sentAt.set(number, clock.monotonic());
      sentAt.delete(number - HEARTBEATS_REMEMBERED);
      await records.append('worker-heartbeats', dispatcher_id, {
        type: 'DispatcherBeat',
        meta: by(null, null),
        dispatcher_id,
        beat: number,
        set_aside: [...machinesSetAside(state().streaks, MAX_SET_ASIDE, clock.monotonic())],
      });
    },
    sentAt: (number) => sentAt.get(number),
  };
};
