import type { Render } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import type { LoggedEvent, RenderInShort } from '../../schemas/http/management/renders.ts';

export const renderSummary = (render: Render): RenderInShort => {
  const { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failure } = render;
  const failed_as = failure?.code ?? null;
  return { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failed_as };
};

export const loggedEvent = (stored: StoredEvent, partition: number): LoggedEvent => {
  const { offset, appended_at, verdict } = stored;
  const accepted = stored.verdict === 'accepted';
  const { event_id, actor } = accepted ? stored.fact.meta : stored;
  // An ignored RenderRequested repeats an Idempotency-Key. It may come from a team that the reader may not see, so its
  // actor is hidden.
  const may_be_foreign = !accepted && stored.type === 'RenderRequested';
  return {
    ...{ topic: 'render-events', partition, offset, at: appended_at, type: accepted ? stored.fact.type : stored.type },
    ...{ verdict, reason: accepted ? null : stored.reason, status: accepted ? (stored.transition?.to ?? null) : null },
    ...{ actor: may_be_foreign ? null : actor, event_id },
    attempt_id: accepted && 'attempt_id' in stored.fact ? stored.fact.attempt_id : null,
  };
};
