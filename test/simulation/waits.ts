import { PREPARATION_SLOTS } from './components/preparer.ts';
import type { Judge } from './judge.ts';
import type { World } from './world/world.ts';

/** The longest wait in a world without faults, while there is a free slot. */
const MAX_WAIT_MS = 5_000;

export type Preparations = {
  /** Called with each preparation that starts; returns a function to call at its end. */
  readonly runs: (render_id: string, account_id: string) => () => void;
  /** Asserts that a loud account delays no other: every other account is prepared while slots are free. */
  readonly lookAtWaits: () => void;
};

export const watchPreparations = (world: World, renders: Judge['renders']): Preparations => {
  const preparing = new Map<string, Set<string>>();
  const begun = new Set<string>();
  const room_since = new Map<string, number>();
  return {
    runs: (render_id, account_id) => {
      begun.add(render_id);
      const of_account = preparing.get(account_id) ?? new Set<string>();
      preparing.set(account_id, of_account.add(render_id));
      return () => void of_account.delete(render_id);
    },
    lookAtWaits: () => {
      const now = world.scheduler.now();
      const slots = [...preparing.values()].reduce((sum, { size }) => sum + size, 0);
      for (const { render } of renders().values()) {
        const own = preparing.get(render.account_id)?.size ?? 0;
        const has_room = slots < PREPARATION_SLOTS.at_once && own < PREPARATION_SLOTS.at_once_per_account;
        const waits = render.status === 'initializing' && !begun.has(render.id) && has_room;
        if (waits) room_since.set(render.id, room_since.get(render.id) ?? now);
        else room_since.delete(render.id);
        if (now - (room_since.get(render.id) ?? now) > MAX_WAIT_MS)
          world.violate(`${render.id} waits for its preparation for ${MAX_WAIT_MS} ms while slots are free`);
      }
    },
  };
};
