import * as E from 'fp-ts/lib/Either.js';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { traceParent } from '../trace-parent.ts';
import type { DecidedRender } from './decide-render.ts';
import { withPayload } from './request-payload.ts';

/**
 * Stores the values and appends the event. Releases the reservation when the event was certainly not appended; else the
 * caller settles it. Rejects with `BlobFault` when the values cannot be stored.
 */
export const appendRequest =
  (blobs: BlobStore, records: RecordLog, clock: Clock) =>
  async (
    request: ApiRequest,
    { wanted, event: bare, reservation }: DecidedRender,
  ): Promise<E.Either<AppendFault, Appended>> => {
    try {
      const event = await withPayload(blobs, bare, wanted, clock);
      const headers = { traceparent: traceParent(request.headers.traceparent) };
      const appended = await records.append('render-events', event.render_id, event, { headers });
      if (E.isRight(appended)) return appended;
      request.log().warn({ render_id: event.render_id, fault: appended.left }, 'a request was not appended');
      if (appended.left.tag === 'not_appended') reservation.released();
      return appended;
    } catch (error) {
      reservation.released();
      throw error;
    }
  };
