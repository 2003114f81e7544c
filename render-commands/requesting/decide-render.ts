import * as E from 'fp-ts/lib/Either.js';
import type { FindReadyUploads } from '../../catalogue/uploads/ready-uploads.ts';
import type { ValueLengths } from '../../domain/composition/final-composition.ts';
import { didYouMean } from '../../domain/near-name.ts';
import { decideRequestRender, type RequestedProject, type RequestRefusal } from '../../domain/render/decide.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import { SEALED_SINCE } from '../../domain/render/fold.ts';
import { renderId } from '../../domain/render/render-id.ts';
import type { Projects } from '../../platform/access/projects.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import type { RenderRequest } from '../../schemas/http/public/render-request.ts';
import type { RenderReservation } from '../credits/reservation.ts';
import { type RequestLimits, reserveRender } from '../limits/reserve-render.ts';
import { NO_SUCH_PROJECT_ERROR } from './answers.ts';
import type { KeyedRequest } from './keyed-request.ts';
import type { Requester } from './requester.ts';
import { findUploadValues, lengthsOf } from './upload-values.ts';

const NO_VERSION = invalidInput({
  ...{ code: 'invalid_field', param: 'project_id' },
  message: 'project_id: this project has no version yet',
});

const requestedProject =
  (projects: Projects, documents: ProjectDocuments) =>
  async (project_id: string, requester: Requester): Promise<E.Either<ApiError, RequestedProject>> => {
    const found = await projects(project_id, requester);
    if (found === null) return E.left(NO_SUCH_PROJECT_ERROR);
    const { id, team_id, version } = found.project;
    if (version === 0) return E.left(NO_VERSION);
    const document = await documents(id, version);
    return E.right({ id, team_id, account_id: found.team.account_id, version, document });
  };

/** `keyed` is null without an Idempotency-Key. */
export type PostedRender = {
  readonly wanted: RenderRequest;
  readonly requester: Requester;
  readonly keyed: KeyedRequest | null;
  readonly correlation_id: string;
};

/** The caller must settle the reservation. */
export type DecidedRender = {
  readonly wanted: RenderRequest;
  readonly event: RenderRequested;
  readonly reservation: RenderReservation;
};

export type DecideRenderDependencies = RequestLimits & {
  readonly projects: Projects;
  readonly documents: ProjectDocuments;
  readonly findUploadsOf: (account_id: string) => FindReadyUploads;
  readonly render_type: string;
  readonly fold_version: number;
};

const ofRefusal =
  (template_id: string | null, { document }: RequestedProject) =>
  (refusal: RequestRefusal): ApiError => {
    if (refusal.tag !== 'template_unknown') {
      const { param, message } = refusal;
      return invalidInput({ code: 'invalid_field', param, message });
    }
    const near = didYouMean(
      template_id ?? '',
      document.templates.map(({ id }) => id),
    );
    return { tag: 'not_found', param: 'template_id', message: `template_id: the project has no such template${near}` };
  };

const OF_TRIAL = {
  ...{ actor: '', user_id: null, render_type: '', fold_version: SEALED_SINCE },
  meta: { event_id: '', occurred_at: 0, correlation_id: null },
};

/** The decision on a document that may not be stored yet: its price in credits, or why a request would be refused. */
export const trialOf = (
  { template_id, values, draft }: Pick<RenderRequest, 'template_id' | 'values' | 'draft'>,
  document: RequestedProject['document'],
  lengths: ValueLengths = new Map(),
): E.Either<ApiError, number> => {
  const project = { id: '', team_id: '', account_id: '', version: 1, document };
  const request = { render_id: '', name: '', template_id, values, draft };
  const decided = decideRequestRender(request, project, OF_TRIAL, lengths);
  return E.bimap(ofRefusal(template_id, project), ({ reserved_credits }: RenderRequested) => reserved_credits)(decided);
};

export const decideRender = (parts: DecideRenderDependencies) => {
  const { projects, documents, findUploadsOf, render_type, fold_version, clock } = parts;
  const projectOf = requestedProject(projects, documents);
  const reserve = reserveRender(parts);

  /** Builds the event. The id is minted as late as possible, because the query API uses the time in it. */
  const eventOf = (
    { wanted, requester, keyed, correlation_id }: PostedRender,
    project: RequestedProject,
    lengths: ValueLengths,
  ): E.Either<ApiError, RenderRequested> => {
    const occurred_at = clock.now();
    const { name, template_id, values, draft } = wanted;
    const { actor, user_id } = requester;
    const render_id = keyed?.render_id ?? renderId(mintUlid(occurred_at));
    const meta = { event_id: mintUlid(occurred_at), occurred_at, correlation_id };
    const request = { render_id, name, template_id, values, draft };
    const by = { actor, user_id, meta, render_type, fold_version };
    const decided = decideRequestRender(request, project, by, lengths);
    return E.bimap(ofRefusal(template_id, project), (event: RenderRequested) => ({
      ...event,
      request_hash: keyed?.hashFor(event.fold_version) ?? null,
    }))(decided);
  };

  return async (posted: PostedRender): Promise<E.Either<ApiError, DecidedRender>> => {
    const { wanted, requester } = posted;
    const project = await projectOf(wanted.project_id, requester);
    if (E.isLeft(project)) return project;
    const { account_id, team_id, document } = project.right;
    const uploads = await findUploadValues(findUploadsOf(account_id), [team_id], document, wanted);
    const event = eventOf(posted, project.right, lengthsOf(uploads));
    if (E.isLeft(event)) return event;
    const [fault] = uploads.faults;
    if (fault !== undefined)
      return E.left(
        invalidInput({ code: 'invalid_field', param: fault.path, message: `${fault.path}: ${fault.message}` }),
      );
    const reservation = await reserve(event.right);
    return E.isLeft(reservation)
      ? reservation
      : E.right({ wanted, event: event.right, reservation: reservation.right });
  };
};
