import type { Dispatch, OpenRender } from './dispatch.ts';
import { endsWithCause, sparedUntil } from './environment-wait.ts';
import { type Offer, placesFor, unreadableBy, workerFor } from './placement.ts';

const NEVER_LOST = { elsewhere: true } as const;

/** Whether what the last attempt was lost for has ended since, as far as workers say. */
const hasImproved = (dispatch: Dispatch, { render, wait }: OpenRender): boolean =>
  wait !== null && dispatch.improved_at > wait.lost_at && endsWithCause(render.attempts);

/**
 * The worker that a render without an attempt goes to now. Undefined while its pause lasts, and while no worker that may
 * have it has a free slot. A pause ends before its time when a worker has come or is well again; and for one that reads
 * newer compositions than those that could not read this one.
 */
export const takerOf = (
  dispatch: Dispatch,
  open: OpenRender,
  offers: readonly Offer[],
  timeout_ms: number,
  now: number,
): Offer | undefined => {
  const { attempts } = open.render;
  if (attempts.length === 0) return now < open.not_before ? undefined : workerFor(open, { offers, ...NEVER_LOST });
  if (now < (sparedUntil(attempts, open.wait, timeout_ms) ?? 0)) return undefined;
  const places = placesFor(open, offers, dispatch.workers);
  if (now >= open.not_before || hasImproved(dispatch, open)) return workerFor(open, places);
  if (attempts.at(-1)?.lost !== 'environment_version' || !endsWithCause(attempts)) return undefined;
  if (unreadableBy(open, dispatch.workers).size === 0) return undefined;
  const newer = places.offers.filter(({ engines }) => engines.length > 0);
  return workerFor(open, { ...places, offers: newer });
};

/** Whether there is one, where any worker has a free slot: for a render that was never lost, that is no search. */
export const hasTaker = (
  dispatch: Dispatch,
  open: OpenRender,
  offers: readonly Offer[],
  timeout_ms: number,
  now: number,
): boolean =>
  open.render.attempts.length === 0
    ? now >= open.not_before
    : takerOf(dispatch, open, offers, timeout_ms, now) !== undefined;
