import type { Output } from '../../../../domain/render/events.ts';
import type { Render } from '../../../../domain/render/render.ts';
import type { StoredEvent } from '../../../../domain/render/stored-event.ts';

/** A file of a render, with a URL that opens it for a while. */
export const fileResource = (
  { variant, content_type, size_bytes, width, height, duration_ms }: Output,
  url: string,
) => ({
  ...{ variant, content_type, size_bytes, width, height, duration_ms, url },
});

/** A render in a list of the management interface. @param poster_url a signed URL; null until there is a poster */
export const shownRenderResource = (render: Render, poster_url: string | null) => ({
  ...listedRenderResource(render),
  poster_url,
});

/** A render in short. */
export const listedRenderResource = (render: Render) => {
  const { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failure } = render;
  const failed_as = failure?.code ?? null;
  return { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failed_as };
};

/** A render by itself. What became of it is told by its transitions. */
export const managedRenderResource = (render: Render) => ({
  ...listedRenderResource(render),
  project_version: render.project_version,
  reserved_credits: render.reserved_credits,
  charged_credits: render.charged_credits,
  variants: render.outputs.map(({ variant }) => variant),
  attempts: render.attempts.map(({ n, worker_id, lost, finished }) => ({ n, worker_id, lost, finished })),
});

/** A record of a render as the log has it, and what the fold said of it. Times in ms since the epoch. */
export const loggedEventResource = (stored: StoredEvent, partition: number) => {
  const { offset, appended_at, verdict } = stored;
  const accepted = stored.verdict === 'accepted';
  const { event_id, actor } = accepted ? stored.fact.meta : stored;
  // Who sent the same Idempotency-Key a second time may be of a team that the reader has no part in.
  const is_anothers = !accepted && stored.type === 'RenderRequested';
  return {
    ...{ topic: 'render-events', partition, offset, at: appended_at, type: accepted ? stored.fact.type : stored.type },
    ...{ verdict, reason: accepted ? null : stored.reason, status: accepted ? (stored.transition?.to ?? null) : null },
    ...{ actor: is_anothers ? null : actor, event_id },
    attempt_id: accepted && 'attempt_id' in stored.fact ? stored.fact.attempt_id : null,
  };
};
