import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { appendRequest } from './append-request.ts';
import { createKeyedRender } from './create-keyed-render.ts';
import { createRender, type Steps } from './create-render.ts';
import { type DecisionParts, decideRender } from './decide-render.ts';
import type { FoldedRenders } from './folded-renders.ts';
import { keyedRequests } from './idempotency-key.ts';
import { openIgnoredValues } from './ignored-values.ts';

export type Renders = DecisionParts & {
  readonly blobs: BlobStore;
  readonly records: RecordLog;
  readonly folded: FoldedRenders;
  readonly idempotency_secret: string;
};

const invalid = (message: string): ApiError => ({ tag: 'invalid', message });

/**
 * POST /v1/renders. A refused request leaves nothing in the log. A project or template out of the key's reach is
 * answered like one that does not exist.
 */
export const postRender = (renders: Renders): AuthenticatedHandler => {
  const { blobs, records, folded, clock } = renders;
  const steps: Steps = {
    decide: decideRender(renders),
    append: appendRequest(blobs, records, clock),
    folded,
    ignored: openIgnoredValues(renders.documents),
    clock,
  };
  const create = createRender(steps);
  const createKeyed = createKeyedRender(steps);
  const keyedRequest = keyedRequests(renders.idempotency_secret);

  return async (request, access) => {
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalid(key.left));
    const body = await request.json();
    if (E.isLeft(body)) return body;
    if (key.right === null) return await create(request, access, body.right);
    const keyed = keyedRequest(access.account_id, key.right, body.right);
    if (E.isLeft(keyed)) return E.left(invalid(keyed.left));
    return await createKeyed(request, access, body.right, keyed.right);
  };
};
