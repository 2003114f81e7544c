import * as E from 'fp-ts/lib/Either.js';
import { isErased, type Render } from '../../domain/render/render.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { SealedRecord, SealOpener } from '../../platform/seals/opener.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { renderResource } from '../../schemas/http/public/render-resource.ts';
import type { CliFault } from '../fault.ts';
import { readEvents } from '../trace/read-trace.ts';
import { foldTrace } from '../trace/trace.ts';
import type { DetailedRender } from './detailed-render.ts';

export type RenderAsOf = DetailedRender & { readonly as_of: number };

/** The id if the key of the name is lost, as in the APIs. Null if the name is erased. */
const nameInSeal = async (sealed: SealedRecord, seals: SealOpener): Promise<string | null> => {
  const opening = await seals.open(sealed);
  switch (opening.state) {
    case 'open':
      return opening.text.name;
    case 'lost':
      return sealed.render_id;
    case 'punctured':
      return null;
  }
};

/** Null if the name is erased. */
const nameInPayload = async (render: Render, name_sha256: string | null, blobs: BlobStore): Promise<string | null> => {
  if (name_sha256 === null || render.request === null) return render.name;
  try {
    const bytes = await blobs.getPayload(render.request);
    return decodeJsonText(RequestPayload, bytes.toString('utf8'))?.name ?? null;
  } catch (error) {
    if (error instanceof BlobFault && error.tag === 'not_found') return null;
    throw error;
  }
};

export type RenderAsOfDependencies = {
  readonly records: RecordLog;
  readonly blobs: BlobStore;
  readonly seals: SealOpener;
};

/**
 * Folds the records that were appended until `at`, which gives the response of the service at that time. It does not
 * find a render that was erased, even later. It omits links to files, because only current links exist.
 *
 * @param at ms since the epoch
 */
export const renderAsOf = async (
  { records, blobs, seals }: RenderAsOfDependencies,
  id: string,
  at: number,
): Promise<E.Either<CliFault, RenderAsOf>> => {
  const absent: CliFault = { tag: 'not_found', what: 'render', id, list: null };
  const events = await readEvents(records, id);
  const now = foldTrace(events).render;
  if (now === null || isErased(now)) return E.left(absent);
  const { render, rows, name_sha256, sealed } = foldTrace(events.filter((event) => event.at <= at));
  const unknown = rows.find(({ verdict }) => verdict === 'unknown');
  if (unknown !== undefined) {
    const message = `${unknown.partition}/${unknown.offset} cannot be read: ${unknown.reason ?? 'unknown'}`;
    return E.left({ tag: 'refused', reason: 'unknown', message });
  }
  if (render === null) return E.left(absent);
  const name = sealed === null ? await nameInPayload(render, name_sha256, blobs) : await nameInSeal(sealed, seals);
  if (name === null) return E.left(absent);
  return E.right({ ...renderResource({ ...render, name }, null), as_of: at });
};
