import { httpsUrlFault } from '../https-url.ts';
import type { AssetKind } from './assets.ts';
import { givenValue } from './field-values.ts';
import type { FinalAsset } from './final-asset.ts';
import type { ProjectDocument } from './project-shape.ts';
import type { FieldKind } from './templates.ts';

type MediaKind = Extract<FieldKind, 'image' | 'video' | 'audio'>;

const MIB = 1024 ** 2;

/** Maximum sizes of files that the service fetches from URLs, in bytes. */
export const MAX_FETCHED_BYTES: Readonly<Record<AssetKind, number>> = {
  image: 50 * MIB,
  audio: 256 * MIB,
  video: 512 * MIB,
  font: 64 * MIB,
};

/** The limit of one document. */
export const MAX_FETCHED_URLS = 50;

/** The limit of a fetch, with its retries. */
export const FETCH_WITHIN_MS = 90_000;
/** A server that sends nothing for this time is given up. */
export const FETCH_IDLE_MS = 15_000;
export const MAX_REDIRECTS = 5;

/** The file of a value that is no asset of the project. The `url` is an `https://` URL, or the ID of an upload. */
export type RemoteMedia = { readonly field: string; readonly url: string; readonly kind: MediaKind };

/** Files fetched for values that are URLs or uploads, by the key of the field; `to_be_fetched` before the fetch. */
export type FetchedMedia = ReadonlyMap<string, FinalAsset> | 'to_be_fetched';

export const NO_FETCHED_MEDIA: FetchedMedia = new Map();

export const fetchedAssets = (fetched: FetchedMedia): readonly FinalAsset[] =>
  fetched === 'to_be_fetched'
    ? []
    : [...new Map([...fetched.values()].map((asset) => [asset.id, asset] as const)).values()];

const isMedia = (kind: FieldKind): kind is MediaKind => kind === 'image' || kind === 'video' || kind === 'audio';

const UPLOAD = /^upload_[0-9a-f]{32}$/;

export const isUpload = (value: string): boolean => UPLOAD.test(value);

/** True if the value is a URL or an upload. Asset ids never have a colon. An asset with the ID of an upload wins. */
export const isRemote = (kind: FieldKind, value: string, assets: readonly { readonly id: string }[] = []): boolean =>
  isMedia(kind) && (value.includes('://') || (isUpload(value) && !assets.some(({ id }) => id === value)));

export const remoteFault = (url: string): string | null => {
  if (isUpload(url)) return null;
  const fault = httpsUrlFault(url);
  if (fault === null) return null;
  return url.startsWith('https://')
    ? `the URL ${fault}`
    : 'must be the id of an asset of the project, or a URL that begins with https://';
};

export const remoteMediaOf = (
  document: Pick<ProjectDocument, 'templates' | 'assets'>,
  template_id: string | null,
  values: { readonly [key: string]: string },
): readonly RemoteMedia[] => {
  const fields = document.templates.find(({ id }) => id === template_id)?.fields ?? [];
  return fields.flatMap(({ key, kind }) => {
    const url = givenValue(values, key);
    return url !== undefined && isMedia(kind) && isRemote(kind, url, document.assets)
      ? [{ field: key, url, kind }]
      : [];
  });
};

const LONGEST_KEY = 50;

/** The id of the asset that has the file of a value. @param taken ids of the other assets */
export const remoteAssetId = (field: string, taken: ReadonlySet<string>): string => {
  const plain = `value-${field.slice(0, LONGEST_KEY)}`;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? plain : `${plain}-${number}`;
    if (!taken.has(id)) return id;
  }
};
