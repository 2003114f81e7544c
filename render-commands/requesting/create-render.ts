import * as E from 'fp-ts/lib/Either.js';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { NOT_APPENDED_ERROR } from '../../platform/records/nothing-happened.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import { decodeRenderRequest } from '../../schemas/http/public/render-request.ts';
import type { RenderReservation } from '../credits/reservation.ts';
import { type AcceptedRequest, OUTCOME_UNKNOWN_ERRORS } from './answers.ts';
import type { DecidedRender, PostedRender } from './decide-render.ts';
import type { FoldedRenders } from './folded-renders.ts';
import type { IgnoredValues } from './ignored-values.ts';
import type { KeyedRequest } from './keyed-request.ts';
import type { Requester } from './requester.ts';

export type RequestContext = Pick<ApiRequest, 'id' | 'headers' | 'log'>;

export type CreateAnswer = Promise<E.Either<ApiError, AcceptedRequest>>;

export type CreateRenderSteps = {
  readonly decide: (posted: PostedRender) => Promise<E.Either<ApiError, DecidedRender>>;
  readonly append: (request: RequestContext, decided: DecidedRender) => Promise<E.Either<AppendFault, Appended>>;
  readonly folded: FoldedRenders;
  readonly ignored: IgnoredValues;
  readonly clock: Clock;
};

/**
 * The query API answers 404 for unknown ids older than 10 s, and clocks may differ by 5 s. So after a slow append, the
 * client gets the id only when the read model has it.
 */
const LATE_MS = 3_000;
const LATE_WAIT_MS = 5_000;
/** How long to look for the event in the read model after an append without an answer, because it may be in the log. */
export const UNCONFIRMED_WAIT_MS = 2_000;

export const decodeAndDecide = async (
  { decide }: CreateRenderSteps,
  request: RequestContext,
  requester: Requester,
  body: unknown,
  keyed: KeyedRequest | null,
): Promise<E.Either<ApiError, DecidedRender>> => {
  const wanted = decodeRenderRequest(body);
  if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
  return await decide({ wanted: wanted.right, requester, keyed, correlation_id: request.id });
};

/** Settles the reservation with the position from the read model, or else from the log. */
export const settleReservation = (
  reservation: RenderReservation,
  found: FoldedRequest | null,
  appended: E.Either<AppendFault, Appended>,
): void => {
  if (found !== null) reservation.confirm(found.place);
  else if (E.isRight(appended)) reservation.confirm(appended.right);
  else reservation.markUnknown();
};

export const createRender =
  (steps: CreateRenderSteps) =>
  async (request: RequestContext, requester: Requester, body: unknown): CreateAnswer => {
    const { append, folded, ignored, clock } = steps;
    const began = clock.monotonic();
    const decided = await decodeAndDecide(steps, request, requester, body, null);
    if (E.isLeft(decided)) return decided;
    const { wanted, event, reservation } = decided.right;
    const { name } = wanted;
    const appended = await append(request, decided.right);
    if (E.isLeft(appended) && appended.left.tag === 'not_appended') return E.left(NOT_APPENDED_ERROR);
    const late = clock.monotonic() - began > LATE_MS;
    if (E.isRight(appended) && !late) {
      reservation.confirm(appended.right);
      const appended_at = appended.right.append_time_ms;
      return E.right({ event: { ...event, name }, appended_at, ignored: await ignored(event, wanted.values) });
    }
    const found = await folded.waitFor(event.render_id, E.isLeft(appended) ? UNCONFIRMED_WAIT_MS : LATE_WAIT_MS);
    settleReservation(reservation, found, appended);
    if (found === null) return E.left(OUTCOME_UNKNOWN_ERRORS.keyless);
    // Answers with the name in the request, because the stored name may be erased by now.
    return E.right({
      event: { ...found.event, name },
      appended_at: found.appended_at,
      ignored: await ignored(found.event, wanted.values),
    });
  };
