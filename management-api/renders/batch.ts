import * as E from 'fp-ts/lib/Either.js';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, errorBodyOf, invalidInput, STATUS_OF } from '../../platform/http-server/api-error.ts';
import { type AcceptedRequest, createdRender } from '../../render-commands/requesting/answers.ts';
import type { RequestRender } from '../../render-commands/requesting/request-render.ts';
import { type KeyedBody, requestRenders } from '../../render-commands/requesting/request-renders.ts';
import { decodeBatch, decodeBatched, FindRendersQuery } from '../../schemas/http/management/render-batches.ts';
import { readJsonObject } from '../access/json-object.ts';
import { isPossibleId } from '../access/reach.ts';
import { rateLimited, type TeamHandler } from '../access/route-guards.ts';
import { type RenderRouteDependencies, shownRenders } from './reads.ts';
import { personalKey, requesterAt } from './request.ts';
import { renderSummary } from './shown-render.ts';

export type BatchDependencies = {
  readonly requestRender: RequestRender;
  /** Requests of each session. A render of a batch counts as one. */
  readonly limits: RateLimits;
};

const retryAfter = (error: ApiError): number | null =>
  'retry_after_s' in error ? (error.retry_after_s ?? null) : null;

const refused = (error: ApiError) => ({
  render: null,
  refusal: { ...errorBodyOf(error), status: STATUS_OF[error.tag], retry_after_s: retryAfter(error) },
});

const accepted = (request: AcceptedRequest) => ({ render: renderSummary(createdRender(request)), refusal: null });

/** Requests the renders that can be read and that the rate limit admits. The others are refused in their place. */
export const requestTeamRenders =
  ({ requestRender, limits }: BatchDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const batch = decodeBatch(body.right);
    if (E.isLeft(batch)) return E.left(invalidInput(batch.left));
    const { user_id, session } = at.person;
    const admit = async (batched: unknown, index: number): Promise<E.Either<ApiError, KeyedBody>> => {
      const decoded = decodeBatched(batched);
      if (E.isLeft(decoded)) return E.left(invalidInput(decoded.left));
      // The guard has counted the request itself.
      const rate = index === 0 ? null : await limits(session.id);
      if (rate !== null && !rate.allowed) return E.left(rateLimited(rate));
      const { idempotency_key, body: of_one } = decoded.right;
      return E.right({ body: of_one, key: personalKey(user_id, idempotency_key) });
    };
    const admitted = await Promise.all(batch.right.map(admit));
    const wanted = admitted.flatMap((one) => (E.isRight(one) ? [one.right] : []));
    const outcomes = (await requestRenders(requestRender)(request, requesterAt(at), wanted)).values();
    const data = admitted.map((one) => {
      if (E.isLeft(one)) return refused(one.left);
      const { value: outcome } = outcomes.next();
      if (outcome === undefined) throw new Error('a render of a batch has no outcome');
      return E.isLeft(outcome) ? refused(outcome.left) : accepted(outcome.right);
    });
    return E.right({ status: 200, body: { data } });
  };

/** Leaves out renders of other teams, and those that are not folded yet. */
export const findTeamRenders =
  (parts: Pick<RenderRouteDependencies, 'renders' | 'blobs' | 'output_policy' | 'read_model'>): TeamHandler =>
  async ({ query }, { team }) => {
    const wanted = FindRendersQuery.decode(query);
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const found = await parts.renders.findAll(wanted.right.ids.filter(isPossibleId));
    const renders = found.flatMap(({ render }) => (render?.team_id === team.id ? [render] : []));
    return E.right({ status: 200, body: { data: await shownRenders(parts, renders) } });
  };
