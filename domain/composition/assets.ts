import type * as t from 'io-ts';
import { Type } from 'io-ts';
import { LocalId } from './layers.ts';
import { closed, number, oneOf, pattern, text } from './shapes.ts';

export const AssetKind = oneOf('image', 'video', 'audio');
export type AssetKind = t.TypeOf<typeof AssetKind>;

const Sha256 = pattern(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower case hex digits');

/** A file beside the project file, to be stored when the project is imported. */
export const AssetFile = closed({
  id: LocalId,
  kind: AssetKind,
  file: pattern(
    /^(?![/-])(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\p{Cc}]{1,500}$/u,
    'a path below the folder of the project file, like assets/logo.png',
  ),
});
export type AssetFile = t.TypeOf<typeof AssetFile>;

/** An asset whose bytes are stored, addressed by their hash. */
export const StoredAsset = closed({
  id: LocalId,
  kind: AssetKind,
  sha256: Sha256,
  size_bytes: number({ min: 0, whole: true }),
  content_type: text({ min: 1, max: 200 }),
  file_name: text({ min: 1, max: 500 }),
});
export type StoredAsset = t.TypeOf<typeof StoredAsset>;

export type AssetEntry = AssetFile | StoredAsset;

/** A project file may name files, or assets that are stored already. */
export const AssetEntry = new Type<AssetEntry, AssetEntry, unknown>(
  'an asset',
  (u): u is AssetEntry => AssetFile.is(u) || StoredAsset.is(u),
  (u, context) =>
    typeof u === 'object' && u !== null && 'sha256' in u
      ? StoredAsset.validate(u, context)
      : AssetFile.validate(u, context),
  (asset) => asset,
);
