import type { DispatchState, OpenRender } from './dispatch.ts';
import { deferredUntil, doesPauseEndOnRecovery } from './environment-wait.ts';
import { mayRenderFail } from './failure.ts';
import { type AvailableWorker, candidateWorkersFor, chooseWorker, incompatibleEngines } from './placement.ts';

const NEVER_LOST = { elsewhere: true } as const;

/**
 * True if a worker has appeared or recovered since the render's last loss, and such a worker may avoid the reason of
 * that loss.
 */
const hasImproved = (dispatch: DispatchState, { render, wait }: OpenRender): boolean =>
  wait !== null && dispatch.improved_at > wait.lost_at && doesPauseEndOnRecovery(render.attempts);

const waitsForNewer = ({ render: { attempts } }: OpenRender): boolean =>
  attempts.at(-1)?.lost === 'environment_version' && doesPauseEndOnRecovery(attempts);

export const isDispatchDue = (dispatch: DispatchState, open: OpenRender, timeout_ms: number, now: number): boolean =>
  now >= open.not_before ||
  hasImproved(dispatch, open) ||
  waitsForNewer(open) ||
  mayRenderFail(dispatch, open, timeout_ms, now);

/**
 * The worker that may get the render now; undefined during the render's pause, or if no suitable worker has a free
 * slot. A pause ends early if a worker appears or recovers. It also ends early for workers that read newer compositions
 * than those that failed.
 */
export const assignableWorker = (
  dispatch: DispatchState,
  open: OpenRender,
  offers: readonly AvailableWorker[],
  timeout_ms: number,
  now: number,
): AvailableWorker | undefined => {
  const { attempts } = open.render;
  if (attempts.length === 0) return now < open.not_before ? undefined : chooseWorker(open, { offers, ...NEVER_LOST });
  if (now < (deferredUntil(attempts, open.wait, timeout_ms) ?? 0)) return undefined;
  const pause_is_over = now >= open.not_before || hasImproved(dispatch, open);
  if (!pause_is_over && !waitsForNewer(open)) return undefined;
  const places = candidateWorkersFor(open, offers, dispatch.workers);
  if (pause_is_over) return chooseWorker(open, places);
  if (incompatibleEngines(open, dispatch.workers).size === 0) return undefined;
  const newer = places.offers.filter(({ engines }) => engines.length > 0);
  return chooseWorker(open, { ...places, offers: newer });
};
