import * as E from 'fp-ts/lib/Either.js';
import { boundFaults } from './bounds.ts';
import type { Fault } from './fault.ts';
import { driveLayer, kindOfProperty } from './field-values.ts';
import { isFontFamily, NO_SUCH_FONT } from './font-families.ts';
import { Layer } from './layers.ts';
import type {
  AssetSketch,
  CompositionSketch,
  FieldSketch,
  LayerSketch,
  ProjectSketch,
  TemplateSketch,
} from './sketch.ts';
import { TemplateField } from './templates.ts';

const duplicates = (path: string, member: string, values: readonly (string | undefined)[]): readonly Fault[] =>
  values.flatMap((value, index) =>
    value === undefined || values.indexOf(value) === index
      ? []
      : [{ path: `${path}[${index}].${member}`, message: `"${value}" is used twice` }],
  );

const idsOf = (list: readonly { readonly id?: string }[] | undefined) => (list ?? []).map(({ id }) => id);

/** @param assets undefined where the list itself is at fault */
const assetFaults = (layer: LayerSketch, at: string, assets: readonly AssetSketch[] | undefined): readonly Fault[] => {
  if (layer.asset === undefined || assets === undefined) return [];
  const asset = assets.find(({ id }) => id === layer.asset);
  if (asset === undefined) return [{ path: `${at}.asset`, message: `the project has no asset "${layer.asset}"` }];
  if (asset.kind === undefined || asset.kind === layer.type) return [];
  return [{ path: `${at}.asset`, message: `"${layer.asset}" is of kind ${asset.kind}, not ${layer.type}` }];
};

const compositionFaults = (
  composition: CompositionSketch,
  path: string,
  assets: readonly AssetSketch[] | undefined,
): readonly Fault[] => {
  const { duration, poster_time = null, layers } = composition;
  return [
    ...boundFaults(composition, `${path}.`),
    ...duplicates(`${path}.layers`, 'id', idsOf(layers)),
    ...(duration !== undefined && poster_time !== null && poster_time >= duration
      ? [{ path: `${path}.poster_time`, message: `must be before the end of the composition (${duration} s)` }]
      : []),
    ...(layers ?? []).flatMap((layer, index) => assetFaults(layer, `${path}.layers[${index}]`, assets)),
  ];
};

/** @param of the id of the composition, for the message */
const fieldFaults = (
  field: FieldSketch,
  at: string,
  { id: of, layers }: CompositionSketch,
  assets: readonly AssetSketch[] | undefined,
): readonly Fault[] => {
  const { layer: layer_id, property } = field.target ?? {};
  if (layer_id === undefined || layers === undefined) return [];
  const layer = layers.find(({ id }) => id === layer_id);
  if (layer === undefined) return [{ path: `${at}.target.layer`, message: `"${of}" has no layer "${layer_id}"` }];
  if (layer.type === undefined || property === undefined) return [];
  const kind = kindOfProperty(layer.type, property);
  if (kind === null)
    return [{ path: `${at}.target.property`, message: `a ${layer.type} layer has no "${property}" to drive` }];
  if (field.kind === undefined) return [];
  if (kind !== field.kind) return [{ path: `${at}.kind`, message: `must be ${kind}, to drive "${property}"` }];
  // The default is tried where all that it depends on is sound.
  if (!TemplateField.is(field) || !Layer.is(layer) || assets === undefined) return [];
  const driven = driveLayer(layer, field, field.default_value, assets);
  return E.isRight(driven) ? [] : driven.left.map(({ message }) => ({ path: `${at}.default_value`, message }));
};

const templateFaults = (template: TemplateSketch, path: string, project: ProjectSketch): readonly Fault[] => {
  const { target_composition_id: target, fields = [] } = template;
  const composition = project.compositions?.find(({ id }) => id !== undefined && id === target);
  const targets = fields.map(({ target: { layer, property } = {} }) =>
    layer === undefined || property === undefined ? undefined : `${layer}.${property}`,
  );
  return [
    ...(target !== undefined && project.compositions !== undefined && composition === undefined
      ? [{ path: `${path}.target_composition_id`, message: `the project has no composition "${target}"` }]
      : []),
    ...duplicates(
      `${path}.fields`,
      'key',
      fields.map(({ key }) => key),
    ),
    ...duplicates(`${path}.fields`, 'target', targets),
    ...(composition === undefined
      ? []
      : fields.flatMap((field, index) => fieldFaults(field, `${path}.fields[${index}]`, composition, project.assets))),
  ];
};

const variantFaults = (height: number | undefined, path: string, master: number | undefined): readonly Fault[] =>
  height === undefined
    ? []
    : [
        ...(height % 2 === 0 ? [] : [{ path, message: `must be even, is ${height}` }]),
        ...(master !== undefined && height >= master
          ? [{ path, message: `must be less than the main composition's height (${master})` }]
          : []),
      ];

/** Everything that one part of a project says of another and that is not so, as far as both can be read. */
export const referenceFaults = (project: ProjectSketch): readonly Fault[] => {
  const { main_composition_id: main_id, compositions, assets, templates, variants = [] } = project;
  const main = compositions?.find(({ id }) => id !== undefined && id === main_id);
  return [
    ...(main_id !== undefined && compositions !== undefined && main === undefined
      ? [{ path: 'main_composition_id', message: `the project has no composition "${main_id}"` }]
      : []),
    ...duplicates('compositions', 'id', idsOf(compositions)),
    ...duplicates('assets', 'id', idsOf(assets)),
    ...duplicates('templates', 'id', idsOf(templates)),
    ...duplicates(
      'variants',
      'name',
      variants.map(({ name }) => name),
    ),
    ...variants.flatMap(({ height }, index) => variantFaults(height, `variants[${index}].height`, main?.height)),
    ...(compositions ?? []).flatMap((composition, index) =>
      compositionFaults(composition, `compositions[${index}]`, assets),
    ),
    ...(templates ?? []).flatMap((template, index) => templateFaults(template, `templates[${index}]`, project)),
  ];
};

const isNoFont = (family: string | undefined): boolean => family !== undefined && !isFontFamily(family);

/**
 * Font families that the engine does not have, in layers and in the defaults of fields that drive them. Not a fault of
 * a project that is stored already: another version of the engine may have had them, and a value may name another.
 */
export const fontFaults = ({ compositions = [], templates = [] }: ProjectSketch): readonly Fault[] => [
  ...compositions.flatMap(({ layers = [] }, c) =>
    layers.flatMap(({ font_family }, l) =>
      isNoFont(font_family) ? [{ path: `compositions[${c}].layers[${l}].font_family`, message: NO_SUCH_FONT }] : [],
    ),
  ),
  ...templates.flatMap(({ fields = [] }, t) =>
    fields.flatMap(({ target, default_value }, f) =>
      target?.property === 'font_family' && isNoFont(default_value)
        ? [{ path: `templates[${t}].fields[${f}].default_value`, message: NO_SUCH_FONT }]
        : [],
    ),
  ),
];
