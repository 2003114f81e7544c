import type * as t from 'io-ts';
import { number, oneOf, optional, orNull, pattern, Shape, text } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';
import { LocalId } from './names.ts';

export const AssetKind = oneOf('image', 'video', 'audio', 'font');
export type AssetKind = t.TypeOf<typeof AssetKind>;

const Sha256 = pattern(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower case hex digits');

export const AssetFile = strictObject({
  id: LocalId,
  kind: AssetKind,
  file: pattern(
    /^(?![/-])(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\p{Cc}]{1,500}$/u,
    'a path below the folder of the project file, like assets/logo.png',
  ),
});
export type AssetFile = t.TypeOf<typeof AssetFile>;

export const StoredAsset = strictObject({
  id: LocalId,
  kind: AssetKind,
  sha256: Sha256,
  size_bytes: number({ min: 0, whole: true }),
  content_type: text({ min: 1, max: 200 }),
  file_name: text({ min: 1, max: 500 }),
  /** The family name in a font's file; null for other assets. */
  font_family: orNull(text({ min: 1, max: 100 })),
  font_covers: orNull(text({ max: LIMITS.font_covers })),
  /** The end of a video's picture or of a sound. Missing for other assets, and in versions of former releases. */
  duration_s: optional(number({ min: 0 })),
});
export type StoredAsset = t.TypeOf<typeof StoredAsset>;

export type AssetEntry = AssetFile | StoredAsset;

export const AssetEntry = new Shape<AssetEntry>(
  'an asset',
  (u): u is AssetEntry => AssetFile.is(u) || StoredAsset.is(u),
  (u, context) =>
    typeof u === 'object' && u !== null && 'sha256' in u
      ? StoredAsset.validate(u, context)
      : AssetFile.validate(u, context),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  { type: 'object', if: { required: ['sha256'] }, then: StoredAsset.schema, else: AssetFile.schema },
);
