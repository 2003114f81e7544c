import type { Dispatch, OpenRender } from './dispatch.ts';
import { endsWithCause, sparedUntil } from './environment-wait.ts';
import { mayFail } from './failure.ts';
import { type Offer, placesFor, unreadableBy, workerFor } from './placement.ts';

const NEVER_LOST = { elsewhere: true } as const;

/** Whether what the last attempt was lost for has ended since, as far as workers say. */
const hasImproved = (dispatch: Dispatch, { render, wait }: OpenRender): boolean =>
  wait !== null && dispatch.improved_at > wait.lost_at && endsWithCause(render.attempts);

/** Whether a worker that reads newer compositions may have it before its pause is over. */
const waitsForNewer = ({ render: { attempts } }: OpenRender): boolean =>
  attempts.at(-1)?.lost === 'environment_version' && endsWithCause(attempts);

/** Whether a render that was lost before has to be compared with the workers: it may go to one of them, or fail. */
export const isDue = (dispatch: Dispatch, open: OpenRender, timeout_ms: number, now: number): boolean =>
  now >= open.not_before ||
  hasImproved(dispatch, open) ||
  waitsForNewer(open) ||
  mayFail(dispatch, open, timeout_ms, now);

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
  const pause_is_over = now >= open.not_before || hasImproved(dispatch, open);
  if (!pause_is_over && !waitsForNewer(open)) return undefined;
  const places = placesFor(open, offers, dispatch.workers);
  if (pause_is_over) return workerFor(open, places);
  if (unreadableBy(open, dispatch.workers).size === 0) return undefined;
  const newer = places.offers.filter(({ engines }) => engines.length > 0);
  return workerFor(open, { ...places, offers: newer });
};
