import * as E from 'fp-ts/lib/Either.js';
import { type RenderRequested, SEALED_REQUEST } from '../../domain/render/events.ts';
import { NAMES_IN_BLOB_SINCE, SEALED_SINCE } from '../../domain/render/fold.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Appended, AppendFault } from '../../platform/event-log/event-log.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { traceParent } from '../../platform/http-server/trace-parent.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Sealer } from '../../platform/seals/sealer.ts';
import type { RequestedNameCache } from '../../read-models/renders/fresh-names.ts';
import { keyTreesPath, requestPath } from '../../schemas/blobs/paths.ts';
import type { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { nameHash, saltedName } from '../../schemas/blobs/salted-name.ts';
import type { RenderRequest } from '../../schemas/http/public/render-request.ts';
import { areValuesSealable } from '../../schemas/seal/plain-text.ts';
import type { DecidedRender } from './decide-render.ts';

const TIMEOUT_MS = 5_000;

export type AppendDependencies = {
  readonly blobs: Pick<BlobStore, 'putPayload'>;
  readonly sealer: Sealer;
  readonly fresh_names: Pick<RequestedNameCache, 'note'>;
  readonly records: Pick<RecordLog, 'append'>;
  readonly clock: Clock;
};

const inTime = async <A>(path: string, work: Promise<A>, clock: Clock): Promise<A> => {
  const late = (): never => {
    throw new BlobFault('unavailable', path, `${path} was not stored within ${TIMEOUT_MS} ms`);
  };
  return await withTimeout(TIMEOUT_MS, work, late, clock);
};

const putPayload = async ({ blobs, clock }: AppendDependencies, render_id: string, payload: RequestPayload) => {
  const path = requestPath(render_id);
  const bytes = Buffer.from(JSON.stringify(payload));
  return await inTime(path, blobs.putPayload(path, bytes, 'application/json'), clock);
};

/**
 * Stores name and values in Blob Storage before the event, because they may name a person (ADR 80). Rejects with
 * `BlobFault`.
 */
const withPayload = async (
  deps: AppendDependencies,
  event: RenderRequested,
  { name, template_id, values, draft }: RenderRequest,
): Promise<RenderRequested> => {
  const salted = event.fold_version < NAMES_IN_BLOB_SINCE ? null : saltedName(name);
  if (salted === null && Object.keys(values).length === 0 && !draft) return event;
  const own = salted === null ? {} : { name, name_salt: salted.salt };
  // Does not wait for the note, because the store may be slow. Without a note, the projector reads the payload.
  if (salted !== null) void deps.fresh_names.note(event.render_id, salted);
  const payload = { template_id, values, ...own, ...(draft ? { draft } : {}) };
  const request = await putPayload(deps, event.render_id, payload);
  return { ...event, request, name_sha256: salted === null ? null : nameHash(salted) };
};

/**
 * Seals name, values and draft in the event itself. Only large values become a payload. Rejects with `BlobFault` if the
 * key tree or the payload cannot be stored.
 */
const withSeal = async (
  deps: AppendDependencies,
  event: RenderRequested,
  { name, template_id, values, draft }: RenderRequest,
): Promise<RenderRequested> => {
  const { type, account_id, project_id, render_id } = event;
  const of_draft = draft ? { draft } : {};
  const has_values = Object.keys(values).length > 0;
  const has_payload = !areValuesSealable(values);
  const text = { name, ...(has_values && !has_payload ? { values } : {}), ...of_draft };
  const sealing = deps.sealer.seal({ type, account_id, project_id, render_id }, text);
  const [sealed, request] = await Promise.all([
    inTime(keyTreesPath(account_id), sealing, deps.clock),
    has_payload ? putPayload(deps, render_id, { template_id, values, ...of_draft }) : null,
  ]);
  return { ...event, sealed, request: request ?? (has_values || draft ? SEALED_REQUEST : null) };
};

/** The event with its free text. A record of the log never has it in the clear since fold version 3. */
const withTexts = (
  deps: AppendDependencies,
  event: RenderRequested,
  wanted: RenderRequest,
): Promise<RenderRequested> =>
  event.fold_version < SEALED_SINCE ? withPayload(deps, event, wanted) : withSeal(deps, event, wanted);

/**
 * Appends the request. Releases the reservation if the event was certainly not appended; otherwise the caller settles
 * it.
 */
export const appendRequest =
  (deps: AppendDependencies) =>
  async (
    request: Pick<ApiRequest, 'headers' | 'log'>,
    { wanted, event: bare, reservation }: DecidedRender,
  ): Promise<E.Either<AppendFault, Appended>> => {
    try {
      const event = await withTexts(deps, bare, wanted);
      const headers = { traceparent: traceParent(request.headers.traceparent) };
      const appended = await deps.records.append('render-events', event.render_id, event, { headers });
      if (E.isRight(appended)) return appended;
      request.log().warn({ render_id: event.render_id, fault: appended.left }, 'a request was not appended');
      if (appended.left.tag === 'not_appended') reservation.release();
      return appended;
    } catch (error) {
      reservation.release();
      throw error;
    }
  };
