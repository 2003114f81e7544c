import { openAttempt } from '../render/render.ts';
import type { OpenRender } from './dispatch.ts';
import { createDispatchQueue, type DispatchQueue, type QueuedRender } from './fair-queue.ts';
import { createSlotUsage, type SlotUsage } from './load.ts';

/** The open renders. Each one is busy, queued or held. */
export type OpenRenders = {
  readonly renders: ReadonlyMap<string, OpenRender>;
  readonly load: SlotUsage;
  /** Renders that wait for a slot. It also has those held renders that a worker may take now. */
  readonly queue: DispatchQueue;
  /** Renders with an attempt, or with an append that was not read back. */
  readonly busy: Set<string>;
  /** Renders with a lost attempt or a failed assignment, which wait for a worker that may take them. */
  readonly held: Set<string>;
  /** Busy renders that have changed since the dispatcher last looked at them. */
  readonly changed: Set<string>;
  /** All changes of renders go through this function; undefined removes the render. */
  readonly put: (render_id: string, open: OpenRender | undefined) => void;
};

type Place = 'busy' | 'queue' | 'held';

const placeOf = ({ render, pending, put_off }: OpenRender): Place => {
  if (pending !== null || openAttempt(render) !== null) return 'busy';
  return render.attempts.length > 0 || put_off ? 'held' : 'queue';
};

export const queuedRenderOf = ({ render }: OpenRender): QueuedRender => ({
  render_id: render.id,
  account_id: render.account_id,
  team_id: render.team_id,
  created_at: render.created_at,
});

const setMembership = (set: Set<string>, member: string, is_member: boolean): void => {
  if (is_member) set.add(member);
  else set.delete(member);
};

/** @param account_cap renders of an account that may run at the same time */
export const createOpenRenders = (account_cap: number): OpenRenders => {
  const renders = new Map<string, OpenRender>();
  const queue = createDispatchQueue();
  const load = createSlotUsage();
  const busy = new Set<string>();
  const held = new Set<string>();
  const changed = new Set<string>();

  const move = (render_id: string, open: OpenRender | undefined): void => {
    const place = open === undefined ? null : placeOf(open);
    setMembership(busy, render_id, place === 'busy');
    setMembership(held, render_id, place === 'held');
    setMembership(changed, render_id, place === 'busy');
    if (open !== undefined && place === 'queue') queue.add(queuedRenderOf(open));
    else queue.remove(render_id);
  };

  const put = (render_id: string, open: OpenRender | undefined): void => {
    const before = renders.get(render_id);
    if (open === undefined) renders.delete(render_id);
    else renders.set(render_id, open);
    load.change(before, open);
    move(render_id, open);
    const account_id = (open ?? before)?.render.account_id;
    if (account_id !== undefined && load.openAttemptsOf(account_id) < account_cap) queue.resume(account_id);
  };

  return { renders, load, queue, busy, held, changed, put };
};
