import type { RenderRequested } from '../../domain/render/events.ts';
import type { SealedRecord } from './opener.ts';

/** A stored request that is older than seals lacks the member. */
type StoredRequest = Omit<RenderRequested, 'sealed'> & Partial<Pick<RenderRequested, 'sealed'>>;

/** Null if the request has no sealed text. */
export const sealedRequest = (event: StoredRequest): SealedRecord | null => {
  const { type, account_id, project_id, render_id, sealed = null } = event;
  return sealed === null ? null : { type, account_id, project_id, render_id, sealed };
};
