import type * as t from 'io-ts';
import { boolean, orNull, text, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { AssetKind } from './assets.ts';
import { LocalId } from './names.ts';

export const FinalAsset = strictObject({
  id: LocalId,
  kind: AssetKind,
  sha256: text({ min: 64, max: 64 }),
  content_type: text({ min: 1, max: 200 }),
  font_family: orNull(text({ min: 1, max: 100 })),
  of_render: withDefault(boolean, false),
});
export type FinalAsset = t.TypeOf<typeof FinalAsset>;
