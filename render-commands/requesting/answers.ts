import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import type { Requester } from './requester.ts';

const RETRY_AFTER_S = 1;
const IDEMPOTENCY_KEY = 'Idempotency-Key';

const outcomeUnknown = (message: string): ApiError => ({
  ...{ tag: 'unavailable', code: 'outcome_unknown', message },
  retry_after_s: RETRY_AFTER_S,
});

/** The answers if it is unknown whether the event was appended, with and without an Idempotency-Key. */
export const OUTCOME_UNKNOWN_ERRORS = {
  keyed: outcomeUnknown('the outcome is unknown: retry with the same Idempotency-Key, which creates only one render'),
  keyless: outcomeUnknown(
    'the outcome is unknown: the render may have been accepted, so a retry may create a second one; ' +
      'check the renders of its project first, and send an Idempotency-Key next time',
  ),
};

/** Replaces a refusal while it is unknown whether an earlier request with the key was accepted. */
export const EARLIER_OUTCOME_UNKNOWN_ERROR = outcomeUnknown(
  'nothing was changed, but an earlier request with this Idempotency-Key may have been accepted: ' +
    'retry with the same key',
);

export const NO_SUCH_PROJECT_ERROR: ApiError = {
  ...{ tag: 'not_found', param: 'project_id' },
  message: 'project_id: there is no such project',
};

export const KEY_REUSED_ERROR: ApiError = {
  ...{ tag: 'conflict_of_idempotency', param: IDEMPOTENCY_KEY },
  message: 'Idempotency-Key: was used with another body; use a new key for a new request',
};

/** The request belongs to a team that the key does not reach, so the answer reveals only that it exists. */
export const KEY_TAKEN_ERROR: ApiError = {
  ...{ tag: 'conflict_of_idempotency', code: 'idempotency_key_taken', param: IDEMPOTENCY_KEY },
  message: 'Idempotency-Key: is taken in this account; use a new key for a new request',
};

/** The earlier answer is erased, and a second render under that key would surprise the client. */
const OF_ERASED: ApiError = {
  ...{ tag: 'conflict_of_idempotency', param: IDEMPOTENCY_KEY },
  message: 'Idempotency-Key: was used for a render that is erased; use a new key for a new request',
};

/** The data for the answer to an accepted request. It does not depend on the render's later state. */
export type AcceptedRequest = {
  /** Includes the name, which may be stored outside the log. */
  readonly event: RenderRequested;
  readonly appended_at: number;
  readonly ignored: string | null;
};

export const createdRender = ({ event, appended_at }: AcceptedRequest): Render => {
  const step = foldStep(null, event, appended_at);
  if (step.tag !== 'accepted') throw new Error('the fold refused a first request');
  return step.render;
};

/**
 * Answers a repeated request. Null if the requester does not reach the render's team, whose requests must not be
 * disclosed.
 */
export const answerRepeatedRequest = async (
  { event, appended_at, is_erased }: FoldedRequest,
  request_hash: string,
  requester: Requester,
  ignoredIn: (event: RenderRequested) => Promise<string | null>,
): Promise<E.Either<ApiError, AcceptedRequest> | null> => {
  if (!requester.teams.has(event.team_id)) return null;
  if (is_erased) return E.left(OF_ERASED);
  if (event.request_hash !== request_hash) return E.left(KEY_REUSED_ERROR);
  return E.right({ event, appended_at, ignored: await ignoredIn(event) });
};
