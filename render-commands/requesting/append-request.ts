import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../domain/render/events.ts';
import { NAMES_IN_BLOB_SINCE } from '../../domain/render/fold.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { traceParent } from '../../platform/http-server/trace-parent.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { RequestedNameCache } from '../../read-models/renders/fresh-names.ts';
import { requestPath } from '../../schemas/blobs/paths.ts';
import type { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { nameHash, saltedName } from '../../schemas/blobs/salted-name.ts';
import type { RenderRequest } from '../../schemas/http/public/render-request.ts';
import type { DecidedRender } from './decide-render.ts';

const TIMEOUT_MS = 5_000;

type Payloads = Pick<BlobStore, 'putPayload'>;

/**
 * Stores name and values in Blob Storage before the event, because they may name a person (ADR 80). Rejects with
 * `BlobFault`.
 */
const withPayload = async (
  blobs: Payloads,
  fresh_names: Pick<RequestedNameCache, 'note'>,
  event: RenderRequested,
  { name, template_id, values, draft }: RenderRequest,
  clock: Clock,
): Promise<RenderRequested> => {
  const salted = event.fold_version < NAMES_IN_BLOB_SINCE ? null : saltedName(name);
  if (salted === null && Object.keys(values).length === 0 && !draft) return event;
  const path = requestPath(event.render_id);
  const own = salted === null ? {} : { name, name_salt: salted.salt };
  const payload: RequestPayload = { template_id, values, ...own, ...(draft ? { draft } : {}) };
  const bytes = Buffer.from(JSON.stringify(payload));
  const late = (): never => {
    throw new BlobFault('unavailable', path, `${path} was not stored within ${TIMEOUT_MS} ms`);
  };
  // Does not wait for the note, because the store may be slow. Without a note, the projector reads the payload.
  if (salted !== null) void fresh_names.note(event.render_id, salted);
  const request = await withTimeout(TIMEOUT_MS, blobs.putPayload(path, bytes, 'application/json'), late, clock);
  return { ...event, request, name_sha256: salted === null ? null : nameHash(salted) };
};

/**
 * Appends the request. Releases the reservation if the event was certainly not appended; otherwise the caller settles
 * it.
 */
export const appendRequest =
  (blobs: Payloads, fresh_names: Pick<RequestedNameCache, 'note'>, records: Pick<RecordLog, 'append'>, clock: Clock) =>
  async (
    request: Pick<ApiRequest, 'headers' | 'log'>,
    { wanted, event: bare, reservation }: DecidedRender,
  ): Promise<E.Either<AppendFault, Appended>> => {
    try {
      const event = await withPayload(blobs, fresh_names, bare, wanted, clock);
      const headers = { traceparent: traceParent(request.headers.traceparent) };
      const appended = await records.append('render-events', event.render_id, event, { headers });
      if (E.isRight(appended)) return appended;
      request.log().warn({ render_id: event.render_id, fault: appended.left }, 'a request was not appended');
      if (appended.left.tag === 'not_appended') reservation.release();
      return appended;
    } catch (error) {
      reservation.release();
      throw error;
    }
  };
