import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { NOT_APPENDED_ERROR } from '../../platform/records/nothing-happened.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import { decodeRenderRequest, type RenderRequest } from '../../schemas/http/public/render-request.ts';
import {
  answerRepeatedRequest,
  EARLIER_OUTCOME_UNKNOWN_ERROR,
  KEY_TAKEN_ERROR,
  OUTCOME_UNKNOWN_ERRORS,
} from './answers.ts';
import {
  type CreateAnswer,
  type CreateRenderSteps,
  decodeAndDecide,
  type RequestContext,
  settleReservation,
  UNCONFIRMED_WAIT_MS,
} from './create-render.ts';
import type { KeyedRequest } from './keyed-request.ts';
import type { Requester } from './requester.ts';

/** Adds the name to a request whose name is not folded yet. A repeat with the same hash has the same name. */
const named = (found: FoldedRequest, request_hash: string, wantedOf: () => Wanted | null): FoldedRequest =>
  found.is_pending === true && found.event.request_hash === request_hash
    ? { ...found, event: { ...found.event, name: wantedOf()?.name ?? '' } }
    : found;

const FOLD_WAIT_MS = 10_000;
/** How long to wait until the read model includes every earlier request with the key. */
const CAUGHT_UP_WAIT_MS = 5_000;

type Wanted = Pick<RenderRequest, 'name' | 'values'>;

/** Decoded on demand, because only repeats need it. */
const wantedIn = (body: unknown) => (): Wanted | null => {
  const wanted = decodeRenderRequest(body);
  return E.isLeft(wanted) ? null : wanted.right;
};

/**
 * Creates a render for an Idempotency-Key, or answers with the existing one. ADR 21 explains the order of the steps.
 */
export const createIdempotentRender = (steps: CreateRenderSteps) => {
  const { append, folded, ignored } = steps;
  const leading = new Map<string, CreateAnswer>();

  const repeated = (found: FoldedRequest, requester: Requester, keyed: KeyedRequest, wantedOf: () => Wanted | null) => {
    const request_hash = keyed.hashFor(found.event.fold_version);
    return answerRepeatedRequest(named(found, request_hash, wantedOf), request_hash, requester, async (event) => {
      const wanted = wantedOf();
      return wanted === null ? null : await ignored(event, wanted.values);
    });
  };

  /**
   * If the read model is behind, an earlier request may have been accepted, so a refusal waits for the end of the log.
   */
  const refuse = async (requester: Requester, body: unknown, keyed: KeyedRequest, refusal: ApiError): CreateAnswer => {
    const found = await folded.findInAll(keyed.render_id, CAUGHT_UP_WAIT_MS);
    if (found === 'behind') return E.left(EARLIER_OUTCOME_UNKNOWN_ERROR);
    return (found === null ? null : await repeated(found, requester, keyed, wantedIn(body))) ?? E.left(refusal);
  };

  /**
   * Creates the render. Another process may append the same request. The fold accepts the first event, and all
   * processes answer from it.
   */
  const make = async (
    request: RequestContext,
    requester: Requester,
    body: unknown,
    keyed: KeyedRequest,
  ): CreateAnswer => {
    const decided = await decodeAndDecide(steps, request, requester, body, keyed);
    if (E.isLeft(decided)) return await refuse(requester, body, keyed, decided.left);
    const appended = await append(request, decided.right);
    if (E.isLeft(appended) && appended.left.tag === 'not_appended') return E.left(NOT_APPENDED_ERROR);
    const found = await folded.waitFor(keyed.render_id, E.isLeft(appended) ? UNCONFIRMED_WAIT_MS : FOLD_WAIT_MS);
    settleReservation(decided.right.reservation, found, appended);
    if (found === null) return E.left(OUTCOME_UNKNOWN_ERRORS.keyed);
    const { wanted } = decided.right;
    return (await repeated(found, requester, keyed, () => wanted)) ?? E.left(KEY_TAKEN_ERROR);
  };

  /**
   * The answer if the key belongs to a render that the requester does not reach. It decides as for a new render, so
   * that the answer reveals nothing about the existing one.
   */
  const refuseTaken = async (
    request: RequestContext,
    requester: Requester,
    body: unknown,
    keyed: KeyedRequest,
  ): CreateAnswer => {
    const decided = await decodeAndDecide(steps, request, requester, body, keyed);
    if (E.isLeft(decided)) return decided;
    decided.right.reservation.release();
    return E.left(KEY_TAKEN_ERROR);
  };

  /**
   * Waits for a simultaneous request with the same key. Returns its error if the service was unavailable. Null if the
   * caller must look again: the render may exist now, or the other request was refused.
   */
  const follow = async (leader: CreateAnswer): Promise<ApiError | null> => {
    const answer = await leader;
    return E.isLeft(answer) && answer.left.tag === 'unavailable' ? answer.left : null;
  };

  return async (request: RequestContext, requester: Requester, body: unknown, keyed: KeyedRequest): CreateAnswer => {
    const { render_id } = keyed;
    for (;;) {
      const before: FoldedRequest | null = await folded.find(render_id);
      if (before !== null)
        return (
          (await repeated(before, requester, keyed, wantedIn(body))) ??
          (await refuseTaken(request, requester, body, keyed))
        );
      const leader = leading.get(render_id);
      if (leader === undefined) break;
      const failed = await follow(leader);
      if (failed !== null) return E.left(failed);
    }
    const answer = make(request, requester, body, keyed);
    leading.set(render_id, answer);
    try {
      return await answer;
    } finally {
      leading.delete(render_id);
    }
  };
};
