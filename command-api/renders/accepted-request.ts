import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { decideRequestRender, type RequestedProject, type RequestRefusal } from '../../domain/render/decide.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import { renderId } from '../../domain/render/render-id.ts';
import type { Access } from '../../platform/access/access.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import type { RenderRequest } from '../../schemas/http/render-request.ts';
import type { Held } from '../credits/credits.ts';
import { type AccountLimits, heldRender } from '../limits/held-render.ts';
import type { KeyedRequest } from './idempotency-key.ts';
import { requestedProject } from './requested-project.ts';

/** A request that was decoded: who asks for what and, with an Idempotency-Key, which render it means. */
export type AskedRender = {
  readonly asked: RenderRequest;
  readonly access: Access;
  readonly keyed: KeyedRequest | null;
  /** The request id. */
  readonly correlation_id: string;
};

/** A fact that may be appended, with its place and its price held: whoever has it must tell what came of it. */
export type AcceptedRequest = { readonly asked: RenderRequest; readonly fact: RenderRequested; readonly held: Held };

export type Acceptance = AccountLimits & {
  readonly projects: Projects;
  readonly documents: ProjectDocuments;
  /** `cloud` or `local`. */
  readonly render_type: string;
};

const ofRefusal = (refusal: RequestRefusal): ApiError =>
  refusal.tag === 'template_unknown'
    ? { tag: 'not_found', message: 'template_id: the project has no such template' }
    : { tag: 'invalid', message: refusal.message };

/** Everything that depends on how things stand now, and may be refused. Rejects when the store does not answer. */
export const acceptedRequest = (acceptance: Acceptance) => {
  const { projects, documents, render_type, clock } = acceptance;
  const projectOf = requestedProject(projects, documents);
  const hold = heldRender(acceptance);

  /** An id is minted here, as late as can be: its time is what the query API goes by. */
  const decided = ({ asked, access, keyed, correlation_id }: AskedRender, project: RequestedProject) => {
    const occurred_at = clock.now();
    const { name, template_id, values } = asked;
    const render_id = keyed?.render_id ?? renderId(mintUlid(occurred_at));
    const { key_id, user_id } = access;
    const meta = { event_id: mintUlid(occurred_at), occurred_at, correlation_id };
    return pipe(
      decideRequestRender({ render_id, name, template_id, values }, project, { key_id, user_id, meta, render_type }),
      E.bimap(ofRefusal, (fact): RenderRequested => ({ ...fact, request_hash: keyed?.request_hash ?? null })),
    );
  };

  return (from: AskedRender): TE.TaskEither<ApiError, AcceptedRequest> =>
    pipe(
      projectOf(from.asked.project_id, from.access),
      TE.chainEitherK((project) => decided(from, project)),
      TE.bindTo('fact'),
      TE.bind(
        'held',
        ({ fact }) =>
          () =>
            hold(fact),
      ),
      TE.map(({ fact, held }) => ({ asked: from.asked, fact, held })),
    );
};
