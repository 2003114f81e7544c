import * as E from 'fp-ts/lib/Either.js';
import type { FailedWorkLimits, LimitReached } from '../../domain/limits/failed-work.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { FailedWorkLimit } from '../../read-models/renders/failed-work.ts';
import type { CreditReservations } from '../credits/credits.ts';
import type { RenderReservation } from '../credits/reservation.ts';
import type { WaitingRenderReservations } from './waiting-renders.ts';

const GIB = 1024 ** 3;

export const failedWorkLimitError = (
  { of, until_ms }: LimitReached,
  limits: FailedWorkLimits,
  now_ms: number,
): ApiError => {
  const retry_after_s = Math.max(1, Math.ceil((until_ms - now_ms) / 1000));
  const most =
    of === 'cpu'
      ? `${limits.cpu_s_per_hour} s of CPU`
      : `${Math.round((limits.bytes_per_hour / GIB) * 100) / 100} GiB of fetched media`;
  const until = new Date(until_ms).toISOString().slice(0, 19);
  return {
    ...{ tag: 'rate_limited', code: 'too_much_failed_work' },
    message: `failed work: failed and cancelled renders of this account have used ${most}, the limit per hour; find out why they fail, and try again after ${until}Z (in ${retry_after_s} s)`,
    retry_after_s,
  };
};

export type RequestLimits = {
  readonly failed_work: { readonly reached: FailedWorkLimit; readonly limits: FailedWorkLimits };
  readonly waiting: WaitingRenderReservations;
  readonly credits: CreditReservations;
  readonly clock: Clock;
};

const both = (a: RenderReservation, b: RenderReservation): RenderReservation => ({
  confirm: (place) => {
    a.confirm(place);
    b.confirm(place);
  },
  release: () => {
    a.release();
    b.release();
  },
  markUnknown: () => {
    a.markUnknown();
    b.markUnknown();
  },
});

/**
 * Reserves what a new render needs. Left: the limit that forbids the render. Rejects on store outage, and then has
 * reserved nothing.
 */
export const reserveRender =
  ({ failed_work, waiting, credits, clock }: RequestLimits) =>
  async ({
    account_id,
    render_id,
    reserved_credits,
  }: RenderRequested): Promise<E.Either<ApiError, RenderReservation>> => {
    const reached = await failed_work.reached(account_id);
    if (reached !== null) return E.left(failedWorkLimitError(reached, failed_work.limits, clock.now()));
    const place = await waiting.reserve(account_id, render_id);
    if (E.isLeft(place)) return place;
    try {
      const price = await credits.reserve(account_id, render_id, reserved_credits);
      if (E.isRight(price)) return E.right(both(place.right, price.right));
      place.right.release();
      return price;
    } catch (error) {
      place.right.release();
      throw error;
    }
  };
