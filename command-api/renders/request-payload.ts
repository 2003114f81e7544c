import type { RenderRequested } from '../../domain/render/events.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { within } from '../../platform/process/within.ts';
import { requestPath } from '../../schemas/blobs/paths.ts';
import type { RequestPayload } from '../../schemas/blobs/payloads.ts';
import type { RenderRequest } from '../../schemas/http/render-request.ts';

const TIMEOUT_MS = 5_000;

/**
 * The event with a reference to its values. They may name a person, so they are stored outside the log, before the event
 * that refers to them. A payload whose event is never appended is an orphan, and harmless.
 *
 * Rejects with `BlobFault`.
 */
export const withPayload = async (
  blobs: BlobStore,
  event: RenderRequested,
  { template_id, values }: RenderRequest,
  clock: Clock,
): Promise<RenderRequested> => {
  if (Object.keys(values).length === 0) return event;
  const path = requestPath(event.render_id);
  const payload: RequestPayload = { template_id, values };
  const bytes = Buffer.from(JSON.stringify(payload));
  const late = (): never => {
    throw new BlobFault('unavailable', path, `${path} was not stored within ${TIMEOUT_MS} ms`);
  };
  const request = await within(TIMEOUT_MS, blobs.putPayload(path, bytes, 'application/json'), late, clock);
  return { ...event, request };
};
