import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Access } from '../../platform/access/access.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { FoldedRequest } from '../../read-models/renders/folded-requests.ts';
import { decodeRenderRequest } from '../../schemas/http/render-request.ts';
import type { Held } from '../credits/credits.ts';
import type { AcceptedRequest, AskedRender } from './accepted-request.ts';
import { created, NOTHING_HAPPENED, OUTCOME_UNKNOWN } from './answers.ts';
import type { FoldedRenders } from './folded-renders.ts';
import type { KeyedRequest } from './idempotency-key.ts';

export type Answer = Promise<E.Either<ApiError, Reply>>;

/** The steps to a render. */
export type Steps = {
  /** Everything that may be refused. */
  readonly accept: (asked: AskedRender) => TaskEither<ApiError, AcceptedRequest>;
  /** Where it surely came to nothing, the price is released; else whoever asked tells what it is held for. */
  readonly append: (request: ApiRequest, accepted: AcceptedRequest) => Promise<E.Either<AppendFault, Appended>>;
  readonly folded: FoldedRenders;
  readonly clock: Clock;
};

/**
 * The query API takes an unknown id that is older than 5 s for one that does not exist. So where the append came late
 * after the minting, the read model is waited for before the client learns the id.
 */
const LATE_MS = 3_000;
const LATE_WAIT_MS = 5_000;
/** For a render whose append nobody confirmed: it may be there all the same. */
export const UNCONFIRMED_WAIT_MS = 2_000;

/** Decodes the body, and decides by how things stand now. */
export const accepted = async (
  { accept }: Steps,
  request: ApiRequest,
  access: Access,
  body: unknown,
  keyed: KeyedRequest | null,
): Promise<E.Either<ApiError, AcceptedRequest>> => {
  const asked = decodeRenderRequest(body);
  if (E.isLeft(asked)) return E.left({ tag: 'invalid', message: asked.left });
  return await accept({ asked: asked.right, access, keyed, correlation_id: request.id })();
};

/** What the credits are held for: where the read model shows it, else where the log said. */
export const tell = (held: Held, found: FoldedRequest | null, appended: E.Either<AppendFault, Appended>): void => {
  if (found !== null) held.placed(found.place);
  else if (E.isRight(appended)) held.placed(appended.right);
  else held.unsure();
};

/** Without an Idempotency-Key: every request is a render of its own. */
export const createRender =
  (steps: Steps) =>
  async (request: ApiRequest, access: Access, body: unknown): Answer => {
    const { append, folded, clock } = steps;
    const going = await accepted(steps, request, access, body, null);
    if (E.isLeft(going)) return going;
    const { fact, held } = going.right;
    const appended = await append(request, going.right);
    if (E.isLeft(appended) && appended.left.tag === 'not_appended') return E.left(NOTHING_HAPPENED);
    const late = clock.now() - fact.meta.occurred_at > LATE_MS;
    if (E.isRight(appended) && !late) {
      held.placed(appended.right);
      return E.right(created(fact, appended.right.append_time_ms));
    }
    const found = await folded.arrived(fact.render_id, E.isLeft(appended) ? UNCONFIRMED_WAIT_MS : LATE_WAIT_MS);
    tell(held, found, appended);
    return found === null ? E.left(OUTCOME_UNKNOWN.keyless) : E.right(created(found.fact, found.appended_at));
  };
