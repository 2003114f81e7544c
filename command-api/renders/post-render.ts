import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { type Acceptance, acceptedRequest } from './accepted-request.ts';
import { appendedRequest } from './appended-request.ts';
import { createKeyedRender } from './create-keyed-render.ts';
import { createRender, type Steps } from './create-render.ts';
import type { FoldedRenders } from './folded-renders.ts';
import { idempotencyKey, keyedRequests } from './idempotency-key.ts';

export type Renders = Acceptance & {
  readonly blobs: BlobStore;
  readonly records: RecordLog;
  readonly folded: FoldedRenders;
  readonly idempotency_secret: string;
};

const invalid = (message: string): ApiError => ({ tag: 'invalid', message });

/**
 * POST /v1/renders. Whatever is refused leaves nothing in the log; a project or template out of the key's reach is
 * answered like one that does not exist.
 */
export const postRender = (renders: Renders): AuthenticatedHandler => {
  const { blobs, records, folded, clock } = renders;
  const steps: Steps = {
    accept: acceptedRequest(renders),
    append: appendedRequest(blobs, records, clock),
    folded,
    clock,
  };
  const create = createRender(steps);
  const createKeyed = createKeyedRender(steps);
  const keyedRequest = keyedRequests(renders.idempotency_secret);

  return (request, access) =>
    pipe(
      TE.fromEither(pipe(idempotencyKey(request), E.mapLeft(invalid))),
      TE.bindTo('key'),
      TE.bind('body', () => () => request.json()),
      TE.chain(({ key, body }) => async () => {
        if (key === null) return await create(request, access, body);
        const keyed = keyedRequest(access.account_id, key, body);
        return E.isLeft(keyed) ? E.left(invalid(keyed.left)) : await createKeyed(request, access, body, keyed.right);
      }),
    )();
};
