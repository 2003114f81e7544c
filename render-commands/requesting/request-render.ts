import * as E from 'fp-ts/lib/Either.js';
import { type AppendDependencies, appendRequest } from './append-request.ts';
import { createIdempotentRender } from './create-keyed-render.ts';
import { type CreateAnswer, type CreateRenderSteps, createRender, type RequestContext } from './create-render.ts';
import { type DecideRenderDependencies, decideRender } from './decide-render.ts';
import type { FoldedRenders } from './folded-renders.ts';
import { openIgnoredValues } from './ignored-values.ts';
import { keyedRequests } from './keyed-request.ts';
import type { Requester } from './requester.ts';

export type RequestRenderDependencies = DecideRenderDependencies &
  AppendDependencies & {
    readonly folded: FoldedRenders;
    readonly idempotency_secret: string;
  };

/**
 * Requests a render. A refused request leaves no record in the log. A project or template that the requester does not
 * reach is answered as missing. The caller has checked that the requester may request renders.
 *
 * @param body parsed but not validated
 * @param key an Idempotency-Key or its equivalent; with null every request creates a new render
 */
export type RequestRender = (
  request: RequestContext,
  requester: Requester,
  body: unknown,
  key: string | null,
) => CreateAnswer;

export const openRequestRender = (parts: RequestRenderDependencies): RequestRender => {
  const { folded, clock } = parts;
  const steps: CreateRenderSteps = {
    decide: decideRender(parts),
    append: appendRequest(parts),
    folded,
    ignored: openIgnoredValues(parts.documents),
    clock,
  };
  const create = createRender(steps);
  const createKeyed = createIdempotentRender(steps);
  const keyedRequest = keyedRequests(parts.idempotency_secret);

  return async (request, requester, body, key) => {
    if (key === null) return await create(request, requester, body);
    const keyed = keyedRequest(requester.account_id, key, body);
    if (E.isLeft(keyed)) return E.left({ tag: 'invalid', message: keyed.left });
    return await createKeyed(request, requester, body, keyed.right);
  };
};
