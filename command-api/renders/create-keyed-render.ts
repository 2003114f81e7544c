import * as E from 'fp-ts/lib/Either.js';
import type { Access } from '../../platform/access/access.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import { createdBefore, EARLIER_UNKNOWN, NOTHING_HAPPENED, OUTCOME_UNKNOWN, TAKEN_IN_ACCOUNT } from './answers.ts';
import { type Answer, decideOn, type Steps, settle, UNCONFIRMED_WAIT_MS } from './create-render.ts';
import type { KeyedRequest } from './idempotency-key.ts';

/** For the fold of the one render. */
const FOLD_WAIT_MS = 10_000;
/** For a read model that has all that an earlier request with the key may have led to. */
const CAUGHT_UP_WAIT_MS = 5_000;

/**
 * With an Idempotency-Key: one render and one answer, however often, from wherever and whenever it is sent. Why each
 * step is where it is: ADR 21.
 */
export const createKeyedRender = (steps: Steps) => {
  const { append, folded } = steps;
  /** The requests that are making a render here now, by its id. */
  const leading = new Map<string, Answer>();

  /**
   * A refusal would be untrue if an earlier request had been accepted, and only the read model had not shown it yet.
   * So it is said of a read model that has everything from before.
   */
  const refuse = async (access: Access, { render_id, request_hash }: KeyedRequest, refusal: ApiError): Answer => {
    const found = await folded.findInAll(render_id, CAUGHT_UP_WAIT_MS);
    if (found === 'behind') return E.left(EARLIER_UNKNOWN);
    return (found === null ? null : createdBefore(found, request_hash, access)) ?? E.left(refusal);
  };

  /** Appends, though another process may do so as well: the fold accepts the first, and all answer from that. */
  const make = async (request: ApiRequest, access: Access, body: unknown, keyed: KeyedRequest): Answer => {
    const decided = await decideOn(steps, request, access, body, keyed);
    if (E.isLeft(decided)) return await refuse(access, keyed, decided.left);
    const appended = await append(request, decided.right);
    if (E.isLeft(appended) && appended.left.tag === 'not_appended') return E.left(NOTHING_HAPPENED);
    const found = await folded.arrived(keyed.render_id, E.isLeft(appended) ? UNCONFIRMED_WAIT_MS : FOLD_WAIT_MS);
    settle(decided.right.reservation, found, appended);
    if (found === null) return E.left(OUTCOME_UNKNOWN.keyed);
    return createdBefore(found, keyed.request_hash, access) ?? E.left(TAKEN_IN_ACCOUNT);
  };

  /** Refused as if nothing were there, for as long as it would be: the render is out of the key's reach. */
  const refuseTaken = async (request: ApiRequest, access: Access, body: unknown, keyed: KeyedRequest): Answer => {
    const decided = await decideOn(steps, request, access, body, keyed);
    if (E.isLeft(decided)) return decided;
    decided.right.reservation.released();
    return E.left(TAKEN_IN_ACCOUNT);
  };

  /** Of several at once one goes ahead; the others find what it made, or try for themselves where it was refused. */
  const follow = async (leader: Answer): Promise<ApiError | null> => {
    const answer = await leader;
    return E.isLeft(answer) && answer.left.tag === 'unavailable' ? answer.left : null;
  };

  return async (request: ApiRequest, access: Access, body: unknown, keyed: KeyedRequest): Answer => {
    const { render_id, request_hash } = keyed;
    for (;;) {
      const before: FoldedRequest | null = await folded.find(render_id);
      if (before !== null)
        return createdBefore(before, request_hash, access) ?? (await refuseTaken(request, access, body, keyed));
      const leader = leading.get(render_id);
      if (leader === undefined) break;
      const failed = await follow(leader);
      if (failed !== null) return E.left(failed);
    }
    const answer = make(request, access, body, keyed);
    leading.set(render_id, answer);
    try {
      return await answer;
    } finally {
      leading.delete(render_id);
    }
  };
};
