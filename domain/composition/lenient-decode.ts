import * as t from 'io-ts';
import { AssetFile, StoredAsset } from './assets.ts';
import { flatten, hasGroups } from './flat-layers.ts';
import type { FrameRate } from './frame-rate.ts';
import type { CropSides } from './framing.ts';
import type { Keyframes } from './keyframes.ts';
import type { LayerGroup } from './layer-groups.ts';
import { type LayerType, lenientLayerMembers, type TextLayer } from './layers.ts';
import { LIMITS } from './limits.ts';
import { Composition, type Master, Preview, ProjectFile, Variant } from './project-shape.ts';
import { FieldTarget, Template, TemplateField } from './templates.ts';
import { Transition } from './transitions.ts';
import type { Visible } from './visible.ts';
import { StartAfter } from './written-layers.ts';

/*
 * A project file without its invalid members. The import then checks references and bounds between the other members,
 * so that one import reports all faults. A valid project equals its lenient form.
 */

export type LenientLayer = {
  readonly id?: string;
  readonly type?: LayerType;
  readonly visible?: Visible;
  readonly start?: number | StartAfter;
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
  readonly crop?: CropSides | undefined;
  readonly speed?: number;
  readonly asset?: string;
  readonly text?: string;
  readonly font_family?: string;
  readonly language?: string | null;
  readonly text_transform?: TextLayer['text_transform'];
  readonly ellipsis?: string | undefined;
  readonly opacity?: number;
  readonly groups?: readonly LayerGroup[];
};

export type LenientComposition = {
  readonly id?: string;
  readonly width?: number;
  readonly height?: number;
  readonly fps?: FrameRate;
  readonly duration?: number | 'auto';
  readonly poster_time?: number | null;
  /** With the layers of groups next to the groups. */
  readonly layers?: readonly LenientLayer[] | undefined;
  /** If there are groups: the indices of the groups around each layer, and the places of all in the document. */
  readonly parents?: readonly (readonly number[])[];
  readonly paths?: readonly string[];
};

export type LenientField = Partial<Omit<TemplateField, 'target' | 'targets'>> & {
  /** Without members if it is invalid. */
  readonly target?: Partial<FieldTarget> | undefined;
  /** Empty if it is invalid. */
  readonly targets?: readonly Partial<FieldTarget>[] | undefined;
};

/** The targets of a field, with their paths in the field. */
export const lenientTargets = ({
  target,
  targets,
}: LenientField): readonly { readonly path: string; readonly target: Partial<FieldTarget> }[] => [
  ...(target === undefined ? [] : [{ path: 'target', target }]),
  ...(targets ?? []).map((one, index) => ({ path: `targets[${index}]`, target: one })),
];

export type LenientTemplate = {
  readonly id?: string;
  readonly name?: string;
  readonly target_composition_id?: string;
  readonly fields?: readonly LenientField[] | undefined;
};

export type LenientAsset = Partial<Pick<AssetFile, 'id' | 'kind' | 'file'>> & {
  readonly file_name?: string;
  readonly font_family?: string | null;
  readonly font_covers?: string | null;
  readonly duration_s?: number | undefined;
};

export type LenientProject = {
  readonly name?: string;
  readonly engine?: number;
  readonly main_composition_id?: string;
  readonly compositions?: readonly LenientComposition[] | undefined;
  readonly assets?: readonly LenientAsset[] | undefined;
  readonly master?: Master;
  readonly variants?: readonly Partial<Variant>[] | undefined;
  readonly preview?: Partial<Preview> | null;
  readonly templates?: readonly LenientTemplate[] | undefined;
};

const membersOf = (u: unknown): Readonly<Record<string, unknown>> => (t.UnknownRecord.is(u) ? u : {});

/** Entries keep their indices. Undefined if the value is not a list, or is too long. */
const each = <S>(list: unknown, most: number, decode: (entry: unknown) => S): readonly S[] | undefined =>
  Array.isArray(list) && list.length <= most ? list.map(decode) : undefined;

const orNone = (list: unknown): unknown => (list === undefined ? [] : list);

const lenientLayer = (u: unknown): LenientLayer => {
  const { transition, start } = membersOf(u);
  return {
    ...lenientLayerMembers(u),
    ...(StartAfter.is(start) ? { start } : {}),
    ...(t.UnknownRecord.is(transition) ? { transition: Transition.lenient(transition) } : {}),
  };
};

const jsonLayersIn = (u: unknown): readonly unknown[] =>
  (membersOf(u).type === 'group' ? each(membersOf(u).layers, LIMITS.layers, (entry) => entry) : undefined) ?? [];

/** A layer is undefined if the list is invalid or too long. */
const lenientComposition = (u: unknown): LenientComposition => {
  const composition: LenientComposition = { ...Composition.lenient(u), layers: undefined };
  const list = each(membersOf(u).layers, LIMITS.layers, (entry) => entry);
  const flat = list === undefined ? undefined : flatten(list, jsonLayersIn);
  if (flat === undefined || flat.length > LIMITS.layers) return composition;
  const layers = flat.map(({ layer }) => lenientLayer(layer));
  if (!hasGroups(flat)) return { ...composition, layers };
  return { ...composition, layers, parents: flat.map((one) => one.parents), paths: flat.map(({ path }) => path) };
};

/** Without members if it is no object. */
const INVALID_TARGET: Partial<FieldTarget> = {};

const lenientField = (u: unknown): LenientField => {
  if (!t.UnknownRecord.is(u)) return { target: INVALID_TARGET };
  const { target, targets } = u;
  return {
    ...TemplateField.lenient(u),
    ...(target === undefined ? {} : { target: FieldTarget.lenient(target) }),
    ...(targets === undefined ? {} : { targets: each(targets, LIMITS.field_targets, FieldTarget.lenient) ?? [] }),
  };
};

const lenientAsset = (u: unknown): LenientAsset => {
  const { file_name, font_family, font_covers, duration_s } = StoredAsset.lenient(u);
  return {
    ...AssetFile.lenient(u),
    ...(file_name === undefined ? {} : { file_name }),
    ...(font_family === undefined ? {} : { font_family }),
    ...(font_covers === undefined ? {} : { font_covers }),
    ...(duration_s === undefined ? {} : { duration_s }),
  };
};

const lenientTemplate = (u: unknown): LenientTemplate => ({
  ...Template.lenient(u),
  fields: each(membersOf(u).fields, LIMITS.fields, lenientField),
});

/** Never fails: a value that is not an object gives a project without members. */
export const decodeLeniently = (json: unknown): LenientProject => {
  const { compositions, assets, variants, preview, templates } = membersOf(json);
  return {
    ...ProjectFile.lenient(json),
    compositions: each(compositions, LIMITS.compositions, lenientComposition),
    assets: each(orNone(assets), LIMITS.assets, lenientAsset),
    variants: each(orNone(variants), LIMITS.variants, Variant.lenient),
    ...(t.UnknownRecord.is(preview) ? { preview: Preview.lenient(preview) } : {}),
    templates: each(orNone(templates), LIMITS.templates, lenientTemplate),
  };
};

export const layerRectangle = ({ x, y, width, height }: LenientLayer) =>
  x === undefined || y === undefined || width === undefined || height === undefined ? null : { x, y, width, height };
