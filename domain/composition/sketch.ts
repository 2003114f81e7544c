import * as t from 'io-ts';
import { AssetFile, StoredAsset } from './assets.ts';
import type { FrameRate } from './frame-rate.ts';
import type { Keyframes } from './keyframes.ts';
import { type LayerType, soundLayer } from './layers.ts';
import { LIMITS } from './limits.ts';
import { Composition, type Master, Preview, ProjectFile, Variant } from './project-shape.ts';
import { FieldTarget, Template, TemplateField } from './templates.ts';
import { Transition } from './transitions.ts';

/*
 * What a project file says as far as it can be read: of everything that is not sound, the parts that are. So what its
 * parts say of each other can be looked at even where some of them are at fault. A project that is sound as a whole is
 * its own sketch.
 */

export type LayerSketch = {
  readonly id?: string;
  readonly type?: LayerType;
  readonly visible?: boolean;
  readonly start?: number;
  readonly duration?: number | 'media' | null;
  readonly x?: number;
  readonly y?: number;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly rotation?: number;
  readonly fade_in?: number;
  readonly fade_out?: number;
  readonly keyframes?: Keyframes;
  readonly transition?: Partial<Transition> | null;
  readonly trim_start?: number;
  readonly trim_end?: number | null;
  readonly asset?: string;
  readonly font_family?: string;
};

export type CompositionSketch = {
  readonly id?: string;
  readonly width?: number;
  readonly height?: number;
  readonly fps?: FrameRate;
  readonly duration?: number;
  readonly poster_time?: number | null;
  readonly layers?: readonly LayerSketch[] | undefined;
};

export type FieldSketch = Partial<Omit<TemplateField, 'target'>> & {
  readonly target?: Partial<TemplateField['target']>;
};

export type TemplateSketch = {
  readonly id?: string;
  readonly name?: string;
  readonly target_composition_id?: string;
  readonly fields?: readonly FieldSketch[] | undefined;
};

export type AssetSketch = Partial<Pick<AssetFile, 'id' | 'kind' | 'file'>> & {
  readonly file_name?: string;
  readonly font_family?: string | null;
};

export type ProjectSketch = {
  readonly name?: string;
  readonly main_composition_id?: string;
  readonly compositions?: readonly CompositionSketch[] | undefined;
  readonly assets?: readonly AssetSketch[] | undefined;
  readonly master?: Master;
  readonly variants?: readonly Partial<Variant>[] | undefined;
  readonly preview?: Partial<Preview> | null;
  readonly templates?: readonly TemplateSketch[] | undefined;
};

const membersOf = (u: unknown): Readonly<Record<string, unknown>> => (t.UnknownRecord.is(u) ? u : {});

/** One sketch for each entry, so that indices stay; undefined where it is no list, or too long a one. */
const each = <S>(list: unknown, most: number, sketch: (entry: unknown) => S): readonly S[] | undefined =>
  Array.isArray(list) && list.length <= most ? list.map(sketch) : undefined;

/** Of a list that may be left out. */
const orNone = (list: unknown): unknown => (list === undefined ? [] : list);

const layerSketch = (u: unknown): LayerSketch => {
  const { transition } = membersOf(u);
  return t.UnknownRecord.is(transition)
    ? { ...soundLayer(u), transition: Transition.sound(transition) }
    : soundLayer(u);
};

const compositionSketch = (u: unknown): CompositionSketch => ({
  ...Composition.sound(u),
  layers: each(membersOf(u).layers, LIMITS.layers, layerSketch),
});

const fieldSketch = (u: unknown): FieldSketch => ({
  ...TemplateField.sound(u),
  target: FieldTarget.sound(membersOf(u).target),
});

const assetSketch = (u: unknown): AssetSketch => {
  const { file_name, font_family } = StoredAsset.sound(u);
  return {
    ...AssetFile.sound(u),
    ...(file_name === undefined ? {} : { file_name }),
    ...(font_family === undefined ? {} : { font_family }),
  };
};

const templateSketch = (u: unknown): TemplateSketch => ({
  ...Template.sound(u),
  fields: each(membersOf(u).fields, LIMITS.fields, fieldSketch),
});

/** Never fails: of what is no project at all nothing is sound. */
export const sketchOf = (json: unknown): ProjectSketch => {
  const { compositions, assets, variants, preview, templates } = membersOf(json);
  return {
    ...ProjectFile.sound(json),
    compositions: each(compositions, LIMITS.compositions, compositionSketch),
    assets: each(orNone(assets), LIMITS.assets, assetSketch),
    variants: each(orNone(variants), LIMITS.variants, Variant.sound),
    ...(t.UnknownRecord.is(preview) ? { preview: Preview.sound(preview) } : {}),
    templates: each(orNone(templates), LIMITS.templates, templateSketch),
  };
};

/** A layer's place; null of one that is heard, and where it cannot be read. */
export const placeOf = ({ x, y, width, height }: LayerSketch) =>
  x === undefined || y === undefined || width === undefined || height === undefined ? null : { x, y, width, height };
