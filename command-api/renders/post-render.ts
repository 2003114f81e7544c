import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';

import { decideRequestRender, type RequestedProject, type RequestRefusal } from '../../domain/render/decide.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import { renderId } from '../../domain/render/render-id.ts';
import type { Access } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { ProjectDocuments } from '../../platform/read-store/project-documents.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { renderPath, transitionsLink } from '../../schemas/http/render-addresses.ts';
import { decodeRenderRequest, type RenderRequest } from '../../schemas/http/render-request.ts';
import { renderResource } from '../../schemas/http/render-resource.ts';
import { traceParent } from '../trace-parent.ts';
import type { Folded } from './folded.ts';
import { withPayload } from './request-payload.ts';
import { requestedProject } from './requested-project.ts';

export type Renders = {
  readonly projects: Projects;
  readonly documents: ProjectDocuments;
  readonly blobs: BlobStore;
  readonly records: RecordLog;
  readonly folded: Folded;
  /** `cloud` or `local`. */
  readonly render_type: string;
};

/**
 * The query API takes an unknown id that is older than 5 s for one that does not exist. So where the append came late
 * after the minting, the read model is waited for before the client learns the id.
 */
const LATE_MS = 3_000;
const LONGEST_WAIT_MS = 5_000;
const RETRY_AFTER_S = 1;

const NOTHING_HAPPENED: ApiError = {
  tag: 'unavailable',
  message: 'the event log does not answer; nothing happened, try again',
  retry_after_s: RETRY_AFTER_S,
};
const OUTCOME_UNKNOWN: ApiError = {
  tag: 'unavailable',
  message: 'the outcome is unknown: the render may have been accepted, and may appear among those of its project',
  retry_after_s: RETRY_AFTER_S,
};

const invalid = (message: string): ApiError => ({ tag: 'invalid', message });

const ofRefusal = (refusal: RequestRefusal): ApiError =>
  refusal.tag === 'template_unknown'
    ? { tag: 'not_found', message: 'template_id: the project has no such template' }
    : invalid(refusal.message);

const ofFault = (fault: AppendFault): ApiError => (fault.tag === 'not_appended' ? NOTHING_HAPPENED : OUTCOME_UNKNOWN);

const created = (fact: RenderRequested, { append_time_ms }: Appended): Reply => {
  const step = foldStep(null, fact, append_time_ms);
  if (step.tag !== 'accepted') throw new Error('the fold refused a first request');
  const { render } = step;
  return {
    status: 201,
    body: renderResource(render, null),
    headers: {
      Location: renderPath(render.id),
      Link: transitionsLink(render.id),
      'Cache-Control': 'private, no-store',
    },
  };
};

/**
 * POST /v1/renders. Whatever is refused leaves nothing in the log; a project or template out of the key's reach is
 * answered like one that does not exist.
 */
export const postRender = ({
  projects,
  documents,
  blobs,
  records,
  folded,
  render_type,
}: Renders): AuthenticatedHandler => {
  const projectOf = requestedProject(projects, documents);

  /** The id is minted here, as late as can be: its time is what the query API goes by. */
  const decided = (request: ApiRequest, access: Access, asked: RenderRequest, project: RequestedProject) => {
    const occurred_at = Date.now();
    const { name, template_id, values } = asked;
    const command = { render_id: renderId(mintUlid(occurred_at)), name, template_id, values };
    const { key_id, user_id } = access;
    const meta = { event_id: mintUlid(occurred_at), occurred_at, correlation_id: request.id };
    return pipe(decideRequestRender(command, project, { key_id, user_id, meta, render_type }), E.mapLeft(ofRefusal));
  };

  const append = (request: ApiRequest, decided: RenderRequested, asked: RenderRequest) => async () => {
    const fact = await withPayload(blobs, decided, asked);
    const headers = { traceparent: traceParent(request.headers.traceparent) };
    const appended = await records.append('render-events', fact.render_id, fact, { headers });
    if (E.isLeft(appended)) {
      request.log().warn({ render_id: fact.render_id, fault: appended.left }, 'a request was not appended');
      return E.left(ofFault(appended.left));
    }
    const late = Date.now() - fact.meta.occurred_at > LATE_MS;
    if (late && !(await folded(fact.render_id, LONGEST_WAIT_MS))) return E.left(OUTCOME_UNKNOWN);
    return E.right(created(fact, appended.right));
  };

  return (request, access) =>
    pipe(
      () => request.json(),
      TE.chainEitherK((body) => pipe(decodeRenderRequest(body), E.mapLeft(invalid))),
      TE.bindTo('asked'),
      TE.bind('project', ({ asked }) => projectOf(asked.project_id, access)),
      TE.bind('fact', ({ asked, project }) => TE.fromEither(decided(request, access, asked, project))),
      TE.chain(({ asked, fact }) => append(request, fact, asked)),
    )();
};
