import { openAttempt } from '../render/render.ts';
import type { KnownWorker, OpenRender } from './dispatch.ts';

export type SlotUsage = {
  /** Called once for each change of a render; undefined means that the render was absent before, or is gone. */
  readonly change: (before: OpenRender | undefined, after: OpenRender | undefined) => void;
  readonly usedSlotsOf: (worker: KnownWorker) => number;
  readonly openAttemptsOf: (account_id: string) => number;
};

type Place = { readonly worker_id: string; readonly attempt_id: string };

const placesOf = ({ render, pending }: OpenRender): readonly Place[] => {
  const open = openAttempt(render);
  const places: Place[] = open === null ? [] : [{ worker_id: open.worker_id, attempt_id: open.id }];
  if (pending?.kind === 'assign') places.push({ worker_id: pending.worker_id, attempt_id: pending.attempt_id });
  return places;
};

export const createSlotUsage = (): SlotUsage => {
  const by_worker = new Map<string, Set<string>>();
  const by_account = new Map<string, number>();

  const count = (account_id: string, by: number): void => {
    const running = (by_account.get(account_id) ?? 0) + by;
    if (running === 0) by_account.delete(account_id);
    else by_account.set(account_id, running);
  };

  const leave = (open: OpenRender): void => {
    const places = placesOf(open);
    for (const { worker_id, attempt_id } of places) {
      const attempts = by_worker.get(worker_id);
      attempts?.delete(attempt_id);
      if (attempts?.size === 0) by_worker.delete(worker_id);
    }
    if (places.length > 0) count(open.render.account_id, -1);
  };

  const enter = (open: OpenRender): void => {
    const places = placesOf(open);
    for (const { worker_id, attempt_id } of places) {
      const attempts = by_worker.get(worker_id) ?? new Set();
      by_worker.set(worker_id, attempts.add(attempt_id));
    }
    if (places.length > 0) count(open.render.account_id, 1);
  };

  return {
    change: (before, after) => {
      if (before !== undefined) leave(before);
      if (after !== undefined) enter(after);
    },
    usedSlotsOf: ({ worker_id, attempts }) => {
      const known = by_worker.get(worker_id);
      if (known === undefined) return attempts.length;
      return attempts.reduce((taken, { attempt_id }) => taken + (known.has(attempt_id) ? 0 : 1), known.size);
    },
    openAttemptsOf: (account_id) => by_account.get(account_id) ?? 0,
  };
};
