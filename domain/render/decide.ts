import * as E from 'fp-ts/lib/Either.js';
import { draftOf } from '../composition/draft.ts';
import { composeFinal, type ValueLengths } from '../composition/final-composition.ts';
import { framesOf } from '../composition/frame-rate.ts';
import type { ProjectDocument } from '../composition/project-document.ts';
import type { Values } from '../composition/values.ts';
import type { Meta } from '../event/meta.ts';
import { priceCredits } from '../pricing.ts';
import { CANCELLED_CODE, cancelledStageOf, isCancelled } from './cancellation.ts';
import type { RenderEvent, RenderFailed, RenderRequested } from './events.ts';
import type { IgnoredReason } from './evolve.ts';
import { foldStep, NAMES_IN_BLOB_SINCE } from './fold.ts';
import type { Render } from './render.ts';

export type AppendRefusal = IgnoredReason | 'unknown_version';

/**
 * A dry run of the fold (ADR 4). A repeat appends no event. If another event comes first, the fold may still ignore an
 * accepted one.
 *
 * @param at the time of the append, ms
 */
export const decideAppend = (
  render: Render | null,
  event: RenderEvent,
  at: number,
): E.Either<AppendRefusal, readonly RenderEvent[]> => {
  const step = foldStep(render, event, at);
  switch (step.tag) {
    case 'accepted':
      return E.right([event]);
    case 'ignored':
      return step.reason.startsWith('already_') ? E.right([]) : E.left(step.reason);
    case 'unknown_version':
      return E.left('unknown_version');
  }
};

export type CancelRequest = { readonly meta: Pick<Meta, 'event_id' | 'occurred_at' | 'actor'> };

export type CancelRefusal = 'complete' | 'failed' | 'of_older_version' | 'unknown_version';

export const decideCancelRender = (
  render: Render,
  by: CancelRequest,
  at: number,
): E.Either<CancelRefusal, RenderFailed | null> => {
  if (isCancelled(render)) return E.right(null);
  if (render.status === 'complete' || render.status === 'failed') return E.left(render.status);
  const cancelled: RenderFailed = {
    type: 'RenderFailed',
    meta: {
      ...by.meta,
      causation_id: null,
      correlation_id: render.correlation_id,
    },
    render_id: render.id,
    attempt_id: null,
    stage: cancelledStageOf(render.status),
    code: CANCELLED_CODE,
    message: 'the render was cancelled',
    field: null,
  };
  const step = foldStep(render, cancelled, at);
  if (step.tag === 'accepted') return E.right(cancelled);
  return E.left(step.tag === 'unknown_version' ? step.tag : 'of_older_version');
};

/** A null `template_id` renders the unchanged project. */
export type RequestRender = {
  readonly render_id: string;
  readonly name: string;
  readonly template_id: string | null;
  readonly values: Values;
  readonly draft: boolean;
};

export type RequestedProject = {
  readonly id: string;
  readonly team_id: string;
  readonly account_id: string;
  readonly version: number;
  readonly document: ProjectDocument;
};

export type Requester = {
  readonly actor: string;
  readonly user_id: string | null;
  readonly meta: Pick<Meta, 'event_id' | 'occurred_at' | 'correlation_id'>;
  readonly render_type: string;
  readonly fold_version: number;
};

/**
 * `message` names the field and the fault; `param` is `values.<key>` if one value is at fault, else `values`. The
 * message quotes no part of the value except a character that no font can draw. */
export type RequestRefusal =
  | { readonly tag: 'template_unknown' }
  | { readonly tag: 'values_refused'; readonly param: string; readonly message: string };

/**
 * Checks the request without network access. If the length of the film is unknown, it reserves the largest possible
 * price. The event has no `request` and no `sealed` yet: the caller seals name and
 * values, or stores them outside the log, before the append.
 *
 * @param lengths of the uploads that values name
 */
export const decideRequestRender = (
  command: RequestRender,
  project: RequestedProject,
  by: Requester,
  lengths: ValueLengths = new Map(),
): E.Either<RequestRefusal, RenderRequested> => {
  const final = composeFinal(project.document, command.template_id, command.values, 'to_be_fetched', lengths);
  if (E.isLeft(final)) {
    const { code, field, to_requester } = final.left;
    const message = to_requester ?? final.left.message;
    if (code === 'unknown_template') return E.left({ tag: 'template_unknown' });
    const names_no_field = code === 'out_of_bounds' && field === undefined;
    const param = field?.startsWith('values.') === true ? field : 'values';
    return E.left({ tag: 'values_refused', param, message: names_no_field ? `values: ${message}` : message });
  }
  const drawn = command.draft ? draftOf(final.right) : final.right;
  const { width, height, fps, duration } = drawn.composition;
  return E.right({
    type: 'RenderRequested',
    meta: { ...by.meta, actor: by.actor, causation_id: null },
    render_id: command.render_id,
    fold_version: by.fold_version,
    name: by.fold_version < NAMES_IN_BLOB_SINCE ? command.name : '',
    account_id: project.account_id,
    team_id: project.team_id,
    project_id: project.id,
    project_version: project.version,
    template_id: command.template_id,
    render_type: by.render_type,
    created_by: by.user_id,
    request: null,
    request_hash: null,
    name_sha256: null,
    draft: command.draft,
    sealed: null,
    reserved_credits: priceCredits({
      width,
      height,
      frames: framesOf(duration, fps),
      fps_num: fps.num,
      fps_den: fps.den,
    }),
  });
};
