import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { isCancelled } from '../domain/render/cancellation.ts';
import { type CancelRefusal, decideCancelRender } from '../domain/render/decide.ts';
import type { RenderFailed } from '../domain/render/events.ts';
import { isFinal, type Render } from '../domain/render/render.ts';
import type { Appended, AppendFault } from '../platform/event-log/event-log.ts';
import type { ApiError } from '../platform/http-server/api-error.ts';
import type { ApiRequest } from '../platform/http-server/route.ts';
import { traceParent } from '../platform/http-server/trace-parent.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import type { Clock } from '../platform/process/clock.ts';
import { withTimeout } from '../platform/process/within.ts';
import { openDocumentWaits } from '../platform/read-store/document-waits.ts';
import { NOT_APPENDED_ERROR } from '../platform/records/nothing-happened.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import { absentRenderError } from '../read-models/renders/absent-render.ts';
import {
  type BoundedWaits,
  openBoundedWaits,
  openRenderFinder,
  type RequesterScope,
} from '../read-models/renders/render-finder.ts';
import type { Renders, VisibleRender } from '../read-models/renders/renders.ts';

export type CancelRenderDependencies = {
  readonly renders: Pick<Renders, 'find' | 'findAll' | 'foldedUntil'>;
  readonly records: Pick<RecordLog, 'append'>;
  readonly clock: Clock;
  readonly waits?: BoundedWaits;
};

const FOLD_WAIT_MS = 2_000;
/**
 * How long the process remembers appended cancellations, so that it does not append them again while the fold is
 * behind.
 */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;
const RETRY_AFTER_S = 1;

/** The answer if it is unknown whether the event was appended. A repeat is harmless. */
const OUTCOME_UNKNOWN: ApiError = {
  ...{ tag: 'unavailable', code: 'outcome_unknown' },
  message: 'the outcome is unknown: the render may have been cancelled; try again',
  retry_after_s: RETRY_AFTER_S,
};

/** 200: cancelled. 202: the log has the cancellation, but the fold is behind. `render` is then the state before. */
export type CancelResult = { readonly status: 200 | 202; readonly render: Render };

/** A requested cancellation. If `reach` does not include the render, the answer is the same as for a missing render. */
export type Cancellation = { readonly render_id: string; readonly actor: string; readonly reach: RequesterScope };

export type CancelRender = (
  request: Pick<ApiRequest, 'headers' | 'log'>,
  wanted: Cancellation,
) => Promise<E.Either<ApiError, CancelResult>>;

const refused = (id: string, refusal: CancelRefusal): ApiError => {
  switch (refusal) {
    case 'complete':
      return { tag: 'conflict', code: 'render_ended', message: `render ${id} is already complete` };
    case 'failed':
      return { tag: 'conflict', code: 'render_ended', message: `render ${id} has already failed` };
    case 'of_older_version':
      return {
        ...{ tag: 'conflict', code: 'render_not_cancellable' },
        message: `render ${id} cannot be cancelled: it was requested before the service supported cancellation`,
      };
    case 'unknown_version':
      return {
        tag: 'unavailable',
        message: `render ${id} was requested from a newer version of the service than this one; nothing was changed, try again`,
        retry_after_s: RETRY_AFTER_S,
      };
  }
};

const ended = (render: Render): E.Either<ApiError, CancelResult> => {
  if (isCancelled(render)) return E.right({ status: 200, render });
  return E.left(refused(render.id, render.status === 'complete' ? 'complete' : 'failed'));
};

/** Reads the read model first, so that a repeat appends nothing. The first final event in the log decides (ADR 67). */
export const openCancelRender = ({
  renders,
  records,
  clock,
  waits = openBoundedWaits(),
}: CancelRenderDependencies): CancelRender => {
  const find = openRenderFinder(renders, clock, waits);
  const ends = openDocumentWaits(renders.findAll, clock);
  const appending = new Map<string, Promise<E.Either<AppendFault, Appended>>>();
  const in_log = new LRUCache<string, true>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    perf: { now: clock.monotonic },
  });

  const append = async (
    request: Pick<ApiRequest, 'headers' | 'log'>,
    event: RenderFailed,
  ): Promise<E.Either<AppendFault, Appended>> => {
    const headers = { traceparent: traceParent(request.headers.traceparent) };
    const appended = await records.append('render-events', event.render_id, event, { headers });
    if (E.isRight(appended)) in_log.set(event.render_id, true);
    else request.log().warn({ render_id: event.render_id, fault: appended.left }, 'a cancellation was not appended');
    return appended;
  };

  const appendOnce = (
    request: Pick<ApiRequest, 'headers' | 'log'>,
    event: RenderFailed,
  ): Promise<E.Either<AppendFault, Appended>> => {
    const { render_id } = event;
    const under_way = appending.get(render_id);
    if (under_way !== undefined) return under_way;
    const begun = append(request, event).finally(() => appending.delete(render_id));
    appending.set(render_id, begun);
    return begun;
  };

  /**
   * Waits until the read model shows that the render has ended. Null on timeout, and on store outage, which is no error
   * here because the event is already appended.
   */
  const seenEnd = async (id: string, account_id: string): Promise<Render | null> => {
    const isOver = ({ render }: VisibleRender): boolean => render !== null && isFinal(render.status);
    const waited = waits(account_id, () =>
      withTimeout(FOLD_WAIT_MS, ends.wait(id, isOver, FOLD_WAIT_MS), () => null, clock).catch(() => null),
    );
    return (await waited)?.render ?? null;
  };

  return async (request, { render_id, actor, reach }) => {
    const found = await find(render_id, reach);
    if (found.tag !== 'found') return E.left(absentRenderError(found));
    const { render } = found;
    if (isFinal(render.status)) return ended(render);
    const occurred_at = clock.now();
    const by = { meta: { event_id: mintUlid(occurred_at), occurred_at, actor } };
    const decided = decideCancelRender(render, by, occurred_at);
    if (E.isLeft(decided)) return E.left(refused(render.id, decided.left));
    const is_known = decided.right === null || in_log.has(render.id);
    const appended = is_known ? null : await appendOnce(request, decided.right);
    if (appended !== null && E.isLeft(appended) && appended.left.tag === 'not_appended')
      return E.left(NOT_APPENDED_ERROR);
    const over = await seenEnd(render.id, reach.account_id);
    if (over !== null) return ended(over);
    return appended === null || E.isRight(appended) ? E.right({ status: 202, render }) : E.left(OUTCOME_UNKNOWN);
  };
};
