import * as E from 'fp-ts/lib/Either.js';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { traceParent } from '../trace-parent.ts';
import type { AcceptedRequest } from './accepted-request.ts';
import { withPayload } from './request-payload.ts';

/**
 * Stores the values and appends the fact. Where that surely came to nothing, the price is released; else the caller
 * tells what it is held for. Rejects with `BlobFault` when the values cannot be stored.
 */
export const appendedRequest =
  (blobs: BlobStore, records: RecordLog, clock: Clock) =>
  async (
    request: ApiRequest,
    { asked, fact: bare, held }: AcceptedRequest,
  ): Promise<E.Either<AppendFault, Appended>> => {
    try {
      const fact = await withPayload(blobs, bare, asked, clock);
      const headers = { traceparent: traceParent(request.headers.traceparent) };
      const appended = await records.append('render-events', fact.render_id, fact, { headers });
      if (E.isRight(appended)) return appended;
      request.log().warn({ render_id: fact.render_id, fault: appended.left }, 'a request was not appended');
      if (appended.left.tag === 'not_appended') held.released();
      return appended;
    } catch (error) {
      held.released();
      throw error;
    }
  };
