import { ENVIRONMENT_CODE } from '../render/environment.ts';
import { attemptsExhausted, countLosses, MAX_RENDER_ATTEMPTS } from './attempt-limits.ts';
import type { DispatchState, FailureCode, OpenRender } from './dispatch.ts';
import { isEnvironmentWaitOver, isPayloadLost } from './environment-wait.ts';
import { type AvailableWorker, candidateWorkersFor } from './placement.ts';

/** A render with fewer attempts can only fail on timeout. */
const FEWEST_LOSSES = 3;

type Failing = { readonly code: FailureCode; readonly message: string };

const byEnvironment = (message: string): Failing => ({ code: ENVIRONMENT_CODE, message });

/** True if the render may fail, depending on the workers. This check is cheaper than `renderFailureOf`. */
export const mayRenderFail = ({ clock }: DispatchState, open: OpenRender, timeout_ms: number, now: number): boolean => {
  const { attempts } = open.render;
  if (attempts.length < FEWEST_LOSSES && open.wait === null) return false;
  if (attempts.length >= MAX_RENDER_ATTEMPTS || attemptsExhausted(attempts, false) || isPayloadLost(attempts, false))
    return true;
  return isEnvironmentWaitOver(open.wait, false, clock, timeout_ms, now);
};

/** Why a render gets no further attempt; null if it gets one. Clients see the `message`. */
export const renderFailureOf = (
  dispatch: DispatchState,
  open: OpenRender,
  offers: readonly AvailableWorker[],
  timeout_ms: number,
  now: number,
): Failing | null => {
  if (!mayRenderFail(dispatch, open, timeout_ms, now)) return null;
  const { workers, clock } = dispatch;
  const { attempts } = open.render;
  const places = candidateWorkersFor(open, offers, workers);
  if (attemptsExhausted(attempts, places.elsewhere))
    return {
      code: 'attempts_exhausted',
      message: `failed after ${attempts.length} attempts, of which ${countLosses(attempts)} were interrupted`,
    };
  if (isPayloadLost(attempts, places.elsewhere))
    return byEnvironment('the service lost the data of this render; request it again');
  if (attempts.length >= MAX_RENDER_ATTEMPTS)
    return byEnvironment(`failed after ${attempts.length} attempts because of faults of the service`);
  if (isEnvironmentWaitOver(open.wait, places.offers.length > 0, clock, timeout_ms, now))
    return byEnvironment('the service could not finish this render in time; request it again');
  return null;
};
