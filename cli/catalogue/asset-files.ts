import { realpath } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { LocalAsset } from '../../catalogue/asset-files.ts';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { fileFormatOf, fileRemedy } from '../../domain/composition/file-forms.ts';
import { LocalId } from '../../domain/composition/names.ts';
import { nameFault } from '../../domain/shape/text-rules.ts';
import type { CliFault } from '../fault.ts';
import { localAsset, type MediaInspection, NO_INSPECTION, withDuration } from './project-files.ts';

export type AssetOverrides = { readonly id: string | null; readonly kind: AssetKind | null };

const LONGEST_ID = 64;

/** `Fjell logo (2).png` becomes `Fjell-logo-2`. Empty if the name has no character that ids allow. */
export const assetIdOf = (file: string): string =>
  basename(file, extname(file))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, LONGEST_ID);

const NO_KIND = 'has an unknown file extension; rename it, for example to logo.png, film.mp4, song.mp3 or face.ttf';

const unknownEnding = (file: string): string => fileRemedy(file) ?? NO_KIND;

const readAsset = async (
  file: string,
  wish: AssetOverrides,
  readFont: MediaInspection['readFont'],
): Promise<E.Either<string, LocalAsset>> => {
  const kind = wish.kind ?? fileFormatOf(file)?.kind;
  if (kind === undefined) return E.left(unknownEnding(file));
  const id = wish.id ?? assetIdOf(file);
  if (!LocalId.is(id)) return E.left('has a name without letters or digits, so it needs an --id');
  const fault = nameFault(basename(file));
  if (fault !== null) return E.left(`has an invalid name, which ${fault}; rename the file`);
  // Follows a link, because the caller named this path explicitly.
  const path = await realpath(file).catch(() => file);
  const local = await localAsset(dirname(path), { id, kind, file: basename(path) }, readFont);
  return E.isLeft(local)
    ? local
    : E.right({ ...local.right, stored: { ...local.right.stored, file_name: basename(file) } });
};

type NamedAsset = { readonly file: string; readonly asset: LocalAsset };

const lookedInto = async (
  named: readonly NamedAsset[],
  { inspect }: MediaInspection,
): Promise<E.Either<CliFault, { readonly faults: readonly string[]; readonly assets: readonly LocalAsset[] }>> => {
  const looked = await inspect(named.map(({ asset }) => asset));
  if (E.isLeft(looked)) return looked;
  const faults: string[] = [];
  const assets = named.map(({ file, asset }, at) => {
    const seen = looked.right[at] ?? null;
    if (seen !== null && E.isLeft(seen)) faults.push(`${file}: ${seen.left}`);
    return withDuration(asset, seen);
  });
  return E.right({ faults, assets });
};

export const readAssets = async (
  files: readonly string[],
  wish: AssetOverrides,
  inspection: MediaInspection = NO_INSPECTION,
): Promise<E.Either<CliFault, readonly LocalAsset[]>> => {
  const faults: string[] = [];
  const assets = new Map<string, NamedAsset>();
  for (const file of files) {
    const read = await readAsset(file, wish, inspection.readFont);
    if (E.isLeft(read)) {
      faults.push(`${file}: ${read.left}`);
      continue;
    }
    const { id, sha256 } = read.right.stored;
    const before = assets.get(id);
    if (before !== undefined && before.asset.stored.sha256 !== sha256)
      faults.push(`${file}: has the same id "${id}" as ${before.asset.path}; add them one by one with --id`);
    assets.set(id, { file, asset: read.right });
  }
  const looked = await lookedInto([...assets.values()], inspection);
  if (E.isLeft(looked)) return looked;
  faults.push(...looked.right.faults);
  return faults.length === 0 ? E.right(looked.right.assets) : E.left({ tag: 'invalid_files', faults });
};
