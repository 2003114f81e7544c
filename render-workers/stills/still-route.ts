import { timingSafeEqual } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { type CompositionRefusal, composeProject } from '../../catalogue/composed-project.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { RenderedFrame } from '../../engine/render-frame.ts';
import { unavailableOnOutage } from '../../platform/access/away.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ApiRequest, Handler } from '../../platform/http-server/route.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { decodeComposedStill, MAX_COMPOSED_BYTES } from '../../schemas/http/composed-still.ts';
import {
  decodeStillRequest,
  lostAssetText,
  STILL_HEADER,
  type StillFault,
  stillHeader,
} from '../../schemas/http/still.ts';
import type { Drawing } from './draw-still.ts';
import type { StillQueue, StillQueueRefusal } from './turns.ts';

export type DrawingDependencies = {
  /** Undefined refuses all requests. */
  readonly secret: string | undefined;
  readonly turns: StillQueue;
  readonly draw: (drawing: Drawing, signal: AbortSignal) => Promise<E.Either<StillFault, RenderedFrame>>;
  readonly stopping: AbortSignal;
};

/** After this wait the client has no use for the still. */
const WAITS_MS = 30_000;
const RETRY_AFTER_S = 2;

const unauthenticated = (message: string): ApiError => ({ tag: 'unauthenticated', message });

const refusal = (authorization: string | undefined, secret: string | undefined): ApiError | null => {
  if (secret === undefined) return unauthenticated('STILLS_SECRET is not set, so this service draws no stills');
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (given === undefined) return unauthenticated('Authorization: must be "Bearer <STILLS_SECRET>"');
  // Compare hashes, because `timingSafeEqual` needs equal lengths.
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(secret)))
    ? null
    : unauthenticated('Authorization: the STILLS_SECRET is wrong');
};

const textOf = (fault: StillFault): string => {
  switch (fault.tag) {
    case 'missing':
      return 'there is no such project';
    case 'no_version':
      return 'the project has no version yet';
    case 'asset_lost':
      return lostAssetText(fault.asset_id);
    case 'refused':
    case 'engine_failed':
      return fault.message;
  }
};

const STATUS: Readonly<Record<StillFault['tag'], number>> = {
  missing: 404,
  no_version: 400,
  refused: 400,
  asset_lost: 409,
  engine_failed: 503,
};

const answerOf = (fault: StillFault): Reply => ({
  status: STATUS[fault.tag],
  body: { error: textOf(fault), fault },
  ...(fault.tag === 'engine_failed' ? { headers: { 'Retry-After': String(RETRY_AFTER_S) } } : {}),
});

const ofCatalogue = (fault: CompositionRefusal | CatalogueFault): StillFault => {
  switch (fault.tag) {
    case 'refused':
      return fault;
    case 'no_version':
      return { tag: fault.tag, project_id: fault.project_id, needed_for: 'assets' };
    case 'missing':
      if (fault.kind === 'project') return { tag: 'missing', kind: 'project', id: fault.id };
      return { tag: 'refused', reason: fault.tag, message: `there is no such ${fault.kind}` };
    default:
      return {
        tag: 'refused',
        reason: fault.tag,
        message: `the project cannot be drawn: ${fault.tag.replaceAll('_', ' ')}`,
      };
  }
};

const TOO_MANY: Readonly<Record<StillQueueRefusal, ApiError>> = {
  too_many: { tag: 'unavailable', message: 'too many stills are waiting; try again', retry_after_s: RETRY_AFTER_S },
  too_many_of_account: {
    tag: 'rate_limited',
    message: 'too many stills of this account are waiting; try again',
    retry_after_s: RETRY_AFTER_S,
  },
  given_up: { tag: 'unavailable', message: 'the still waited too long for its turn', retry_after_s: RETRY_AFTER_S },
};

const drawn = async (
  { turns, draw, stopping }: DrawingDependencies,
  request: ApiRequest,
  drawing: Drawing,
  left_out: readonly string[],
): Promise<E.Either<ApiError, Reply>> => {
  // Stop drawing if the client disconnects.
  const wanting = AbortSignal.any([stopping, request.gone()]);
  const until = AbortSignal.any([wanting, AbortSignal.timeout(WAITS_MS)]);
  const ended = await turns.run(drawing.account_id, until, () => draw(drawing, wanting));
  if (E.isLeft(ended)) return E.left(TOO_MANY[ended.left]);
  if (E.isLeft(ended.right)) return E.right(answerOf(ended.right.left));
  const { bytes, content_type, frame, width, height } = ended.right.right;
  const { num, den } = drawing.final.composition.fps;
  const facts = stillHeader({ frame, at_s: (frame * den) / num, width, height, left_out });
  const headers = { 'Content-Type': content_type, 'Cache-Control': 'private, no-store', [STILL_HEADER]: facts };
  return E.right({ status: 200, body: null, bytes, headers });
};

const authorized =
  ({ secret }: DrawingDependencies, handler: Handler): Handler =>
  (request) =>
    unavailableOnOutage(request, async () => {
      const refused = refusal(request.headers.authorization, secret);
      return refused === null ? await handler(request) : E.left(refused);
    });

/** Composes the still itself, for renderctl. */
export const stillRoute = (parts: DrawingDependencies, read_model: CatalogueReadModel): Handler =>
  authorized(parts, async (request) => {
    const body = await request.json();
    if (E.isLeft(body)) return body;
    const wanted = decodeStillRequest(body.right);
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const composed = await composeProject(read_model, wanted.right);
    if (E.isLeft(composed)) return E.right(answerOf(ofCatalogue(composed.left)));
    const { project, account_id, final, at_s, left_out } = composed.right;
    const places = { project_id: project.id, render_id: '' };
    const { format } = wanted.right;
    return await drawn(parts, request, { account_id, final, at_s, places, format, width: null }, left_out);
  });

/** Draws a composition that an API has checked. */
export const composedStillRoute = (parts: DrawingDependencies): Handler =>
  authorized(parts, async (request) => {
    const body = await request.json(MAX_COMPOSED_BYTES);
    if (E.isLeft(body)) return body;
    const wanted = decodeComposedStill(body.right);
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const { paths, ...still } = wanted.right;
    return await drawn(parts, request, { ...still, places: { paths: new Map(Object.entries(paths)) } }, []);
  });
