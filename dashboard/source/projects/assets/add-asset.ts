import { contentTypeOf, type MediaKind } from '../../uploads/file-types.ts';
import type { StoredDocument } from './asset-uses.ts';

type AssetKind = MediaKind | 'font';

const KINDS: readonly AssetKind[] = ['image', 'video', 'audio', 'font'];

/** The kind of asset that a file with this name becomes; null if the service takes no such file. */
export const assetKindOf = (file_name: string): AssetKind | null => {
  const type = contentTypeOf(file_name);
  return KINDS.find((kind) => type?.startsWith(`${kind}/`)) ?? null;
};

const LONGEST_ID = 60;

/** `Fjell logo (2).png` becomes `Fjell-logo-2`, with a number if the id is taken. */
export const newAssetId = (file_name: string, taken: ReadonlySet<string>): string => {
  const stem = file_name
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, LONGEST_ID)
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  const id = stem === '' ? 'file' : stem;
  for (let n = 2, free = id; ; n += 1) {
    if (!taken.has(free)) return free;
    free = `${id}-${n}`;
  }
};

type NewAsset = { readonly kind: AssetKind; readonly file_name: string; readonly upload_id: string };

/** The document with one more asset. A layer or a field can name it from then on. */
export const withAsset = (document: StoredDocument, { kind, file_name, upload_id }: NewAsset): StoredDocument => {
  const assets: readonly unknown[] = Array.isArray(document.assets) ? document.assets : [];
  const taken = new Set(assets.map((asset) => String(Object(asset).id)));
  return { ...document, assets: [...assets, { id: newAssetId(file_name, taken), kind, upload: upload_id }] };
};
