import { isCancellation } from '../../domain/render/cancellation.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import type { Verdict } from '../../domain/render/evolve.ts';
import type { Render } from '../../domain/render/render.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { type AuditEntry, auditEntryHead } from '../../read-models/audit/documents.ts';

const kindOf = (event: RenderEvent): 'RenderErased' | 'RenderCancelled' | null => {
  if (event.type === 'RenderErased') return event.type;
  return event.type === 'RenderFailed' && isCancellation(event) ? 'RenderCancelled' : null;
};

/**
 * Audit entries of requests to cancel or erase a render. Other events have none: the audit reads requests of renders
 * from the render documents, and the rest are steps of the work.
 *
 * @param render null if the render was never requested, so it belongs to no account
 */
export const auditEntriesOf = (
  record: LogRecord,
  event: RenderEvent,
  verdict: Verdict,
  render: Render | null,
): readonly AuditEntry[] => {
  const kind = kindOf(event);
  if (kind === null) return [];
  const { render_id, meta } = event;
  return [
    {
      ...auditEntryHead(record, meta),
      kind,
      account_id: render?.account_id ?? null,
      team_ids: render === null ? [] : [render.team_id],
      ids: render === null ? { render_id } : { render_id, project_id: render.project_id },
      details: {},
      refused: verdict.tag === 'ignored' ? verdict.reason : null,
    },
  ];
};
