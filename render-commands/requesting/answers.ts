import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import type { Requester } from './requester.ts';

const RETRY_AFTER_S = 1;

const unavailable = (message: string): ApiError => ({ tag: 'unavailable', message, retry_after_s: RETRY_AFTER_S });

/** Used after the append. The advice depends on whether the client sent an Idempotency-Key. */
export const OUTCOME_UNKNOWN = {
  keyed: unavailable('the outcome is unknown: retry with the same Idempotency-Key, and there will be one render'),
  keyless: unavailable(
    'the outcome is unknown: the render may have been accepted, so a retry may make a second one; ' +
      'look among those of its project, and send an Idempotency-Key next time',
  ),
};

/** Sent instead of a refusal while it is unknown whether an earlier request with the key was accepted. */
export const EARLIER_UNKNOWN = unavailable(
  'nothing happened, and whether an earlier request with this Idempotency-Key was accepted cannot be told yet: ' +
    'retry with the same one',
);

export const NO_SUCH_PROJECT: ApiError = { tag: 'not_found', message: 'project_id: there is no such project' };

export const OTHER_REQUEST: ApiError = {
  tag: 'conflict_of_idempotency',
  message: 'Idempotency-Key: was sent before with another body; a new request takes a new one',
};

/**
 * An earlier request belongs to a team that the key does not reach. The answer discloses only that it exists. Keys
 * belong to accounts, and the render's id is derived from the account and the idempotency key.
 */
export const TAKEN_IN_ACCOUNT: ApiError = {
  tag: 'conflict_of_idempotency',
  message: 'Idempotency-Key: is taken in this account; a new request takes a new one',
};

/** The earlier answer is erased, and a second render under that key would surprise the client. */
const OF_ERASED: ApiError = {
  tag: 'conflict_of_idempotency',
  message: 'Idempotency-Key: was used for a render that was erased since; a new request takes a new one',
};

/** A request in the log, independent of its render's later state. */
export type Accepted = {
  /** The event with its name, which may be stored elsewhere. */
  readonly event: RenderRequested;
  /** The append time of the event, ms. */
  readonly appended_at: number;
  /** Header with the keys of values that the template lacks. */
  readonly ignored: string | null;
};

/** The render as it was created. */
export const createdRender = ({ event, appended_at }: Accepted): Render => {
  const step = foldStep(null, event, appended_at);
  if (step.tag !== 'accepted') throw new Error('the fold refused a first request');
  return step.render;
};

/**
 * The answer to a request whose Idempotency-Key was used before. Null if the requester does not reach that render's
 * team, because the team's requests must not be disclosed.
 */
export const createdBefore = async (
  { event, appended_at, is_erased }: FoldedRequest,
  request_hash: string,
  requester: Requester,
  ignoredIn: (event: RenderRequested) => Promise<string | null>,
): Promise<E.Either<ApiError, Accepted> | null> => {
  if (!requester.teams.has(event.team_id)) return null;
  if (is_erased) return E.left(OF_ERASED);
  if (event.request_hash !== request_hash) return E.left(OTHER_REQUEST);
  return E.right({ event, appended_at, ignored: await ignoredIn(event) });
};
