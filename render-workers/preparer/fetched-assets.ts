import type { FinalAsset } from '../../domain/composition/final-asset.ts';
import { remoteAssetId } from '../../domain/composition/remote-media.ts';
import type { FetchedMediaFile } from './media-fetcher.ts';
import type { PreparationFault } from './preparation-fault.ts';

export type FetchedAssets = {
  readonly of_field: ReadonlyMap<string, FinalAsset>;
  readonly files: ReadonlyMap<string, string>;
  readonly blobs: ReadonlyMap<string, string>;
};

/** Fields with the same URL and kind share an asset. @param others ids of the project's own assets */
export const fetchedAssets = (fetched: readonly FetchedMediaFile[], others: readonly string[]): FetchedAssets => {
  const taken = new Set(others);
  const of_field = new Map<string, FinalAsset>();
  const files = new Map<string, string>();
  const blobs = new Map<string, string>();
  for (const { media, file, sha256 } of fetched) {
    blobs.set(sha256, file);
    for (const [kind, fields] of Map.groupBy(media, (one) => one.kind)) {
      const [first] = fields;
      if (first === undefined) continue;
      const id = remoteAssetId(first.field, taken);
      taken.add(id);
      files.set(id, file);
      // Do not trust the server's content type.
      const content_type = 'application/octet-stream';
      const asset: FinalAsset = { id, kind, sha256, content_type, font_family: null, of_render: true };
      for (const { field } of fields) of_field.set(field, asset);
    }
  }
  return { of_field, files, blobs };
};

/** Users do not know ids of fetched assets, so the fault names the field instead. */
export const nameFieldInFault = (fault: PreparationFault, { of_field }: FetchedAssets): PreparationFault => {
  const found = [...of_field].find(([, { id }]) => fault.field === `assets.${id}` || fault.message.includes(`"${id}"`));
  if (found === undefined) return fault;
  const [key, { id, kind }] = found;
  const field = `values.${key}`;
  const message = fault.message.replace(/^[\w.[\]-]+: /, '').replaceAll(`the ${kind} "${id}"`, 'the file at the URL');
  return { ...fault, field, message: `${field}: ${message}` };
};
