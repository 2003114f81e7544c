import type { AssetSource } from '../../catalogue/documents/asset-source.ts';
import type { FindReadyUploads } from '../../catalogue/uploads/ready-uploads.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ValueLengths } from '../../domain/composition/final-composition.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { isUpload, type RemoteMedia, remoteMediaOf } from '../../domain/composition/remote-media.ts';
import { uploadValueFault } from '../../domain/uploads/value-fault.ts';
import type { RenderRequest } from '../../schemas/http/public/render-request.ts';

/** `sources` has the files of the values that name uploads, by field. */
export type UploadValues = { readonly faults: readonly Fault[]; readonly sources: ReadonlyMap<string, AssetSource> };

/** The lengths of videos and sounds, by field. */
export const lengthsOf = ({ sources }: Pick<UploadValues, 'sources'>): ValueLengths =>
  new Map(
    Array.from(sources).flatMap(([field, { asset }]) =>
      asset.duration_s === undefined ? [] : [[field, asset.duration_s] as const],
    ),
  );

const NONE: UploadValues = { faults: [], sources: new Map() };

type Wanted = Pick<RenderRequest, 'template_id' | 'values'>;

/** The values that name uploads. */
export const uploadsOfValues = (
  document: Pick<ProjectDocument, 'templates' | 'assets'>,
  { template_id, values }: Wanted,
): readonly RemoteMedia[] => remoteMediaOf(document, template_id, values).filter(({ url }) => isUpload(url));

/** The uploads of the teams that values name. They are kept for their full time again. Rejects on outage. */
export const findUploadValues = async (
  findUploads: FindReadyUploads,
  team_ids: readonly string[],
  document: Pick<ProjectDocument, 'templates' | 'assets'>,
  of_render: Wanted,
): Promise<UploadValues> => {
  const wanted = uploadsOfValues(document, of_render);
  if (wanted.length === 0) return NONE;
  const found = await findUploads([...new Set(wanted.map(({ url }) => url))], team_ids);
  const sources = new Map<string, AssetSource>();
  const faults: Fault[] = [];
  for (const media of wanted) {
    const source = found.get(media.url)?.[0];
    const message = uploadValueFault(media, source?.asset ?? null);
    if (message !== null) faults.push({ path: `values.${media.field}`, message });
    else if (source !== undefined) sources.set(media.field, source);
  }
  return { faults, sources };
};
