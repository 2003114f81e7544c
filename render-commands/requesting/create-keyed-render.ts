import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { NOTHING_HAPPENED } from '../../platform/records/nothing-happened.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import { decodeRenderRequest, type RenderRequest } from '../../schemas/http/public/render-request.ts';
import { createdBefore, EARLIER_UNKNOWN, OUTCOME_UNKNOWN, TAKEN_IN_ACCOUNT } from './answers.ts';
import {
  type Answer,
  decideOn,
  type RequestContext,
  type Steps,
  settle,
  UNCONFIRMED_WAIT_MS,
} from './create-render.ts';
import type { KeyedRequest } from './keyed-request.ts';
import type { Requester } from './requester.ts';

/** The name of a request that is repeated stands in the repeat, too. */
const named = (found: FoldedRequest, request_hash: string, wantedOf: () => Wanted | null): FoldedRequest =>
  found.is_pending === true && found.event.request_hash === request_hash
    ? { ...found, event: { ...found.event, name: wantedOf()?.name ?? '' } }
    : found;

/** Waiting for the fold of this render. */
const FOLD_WAIT_MS = 10_000;
/** Waiting for a read model that includes every earlier request with the key. */
const CAUGHT_UP_WAIT_MS = 5_000;

type Wanted = Pick<RenderRequest, 'name' | 'values'>;

/** Decoded only where it is needed: by then the request is known to be the one of before. */
const wantedIn = (body: unknown) => (): Wanted | null => {
  const wanted = decodeRenderRequest(body);
  return E.isLeft(wanted) ? null : wanted.right;
};

/**
 * With an Idempotency-Key: one render and one answer, however often, from wherever and whenever it is sent. Why each
 * step is where it is: ADR 21.
 */
export const createKeyedRender = (steps: Steps) => {
  const { append, folded, ignored } = steps;
  /** The requests that are making a render here now, by its id. */
  const leading = new Map<string, Answer>();

  const repeated = (
    found: FoldedRequest,
    requester: Requester,
    { request_hash }: KeyedRequest,
    wantedOf: () => Wanted | null,
  ) =>
    createdBefore(named(found, request_hash, wantedOf), request_hash, requester, async (event) => {
      const wanted = wantedOf();
      return wanted === null ? null : await ignored(event, wanted.values);
    });

  /**
   * If the read model is behind, an earlier request may have been accepted. So a refusal is sent only once the read
   * model has folded the log up to its end.
   */
  const refuse = async (requester: Requester, body: unknown, keyed: KeyedRequest, refusal: ApiError): Answer => {
    const found = await folded.findInAll(keyed.render_id, CAUGHT_UP_WAIT_MS);
    if (found === 'behind') return E.left(EARLIER_UNKNOWN);
    return (found === null ? null : await repeated(found, requester, keyed, wantedIn(body))) ?? E.left(refusal);
  };

  /** Another process may append as well: the fold accepts the first event, and all answer from that. */
  const make = async (request: RequestContext, requester: Requester, body: unknown, keyed: KeyedRequest): Answer => {
    const decided = await decideOn(steps, request, requester, body, keyed);
    if (E.isLeft(decided)) return await refuse(requester, body, keyed, decided.left);
    const appended = await append(request, decided.right);
    if (E.isLeft(appended) && appended.left.tag === 'not_appended') return E.left(NOTHING_HAPPENED);
    const found = await folded.arrived(keyed.render_id, E.isLeft(appended) ? UNCONFIRMED_WAIT_MS : FOLD_WAIT_MS);
    settle(decided.right.reservation, found, appended);
    if (found === null) return E.left(OUTCOME_UNKNOWN.keyed);
    const { wanted } = decided.right;
    return (await repeated(found, requester, keyed, () => wanted)) ?? E.left(TAKEN_IN_ACCOUNT);
  };

  /** The render is out of the key's reach, so the request is refused as if there were none. */
  const refuseTaken = async (
    request: RequestContext,
    requester: Requester,
    body: unknown,
    keyed: KeyedRequest,
  ): Answer => {
    const decided = await decideOn(steps, request, requester, body, keyed);
    if (E.isLeft(decided)) return decided;
    decided.right.reservation.released();
    return E.left(TAKEN_IN_ACCOUNT);
  };

  /** Of simultaneous requests one proceeds. The others use its result, or try for themselves if it was refused. */
  const follow = async (leader: Answer): Promise<ApiError | null> => {
    const answer = await leader;
    return E.isLeft(answer) && answer.left.tag === 'unavailable' ? answer.left : null;
  };

  return async (request: RequestContext, requester: Requester, body: unknown, keyed: KeyedRequest): Answer => {
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
