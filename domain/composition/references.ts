import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../near-name.ts';
import { bindablePropertiesOf, kindOfProperty } from './bindable-properties.ts';
import { limitFaults } from './bounds.ts';
import type { Fault } from './fault.ts';
import { applyFieldValue } from './field-values.ts';
import { type FontAsset, isFontFamily, unknownFontMessage } from './font-families.ts';
import { firstUndrawableCharacter, glyphsByFamily, missingGlyphMessage } from './glyphs.ts';
import { hiddenTransitionFaults } from './layer-transition-rules.ts';
import { Layer } from './layers.ts';
import type {
  LenientAsset,
  LenientComposition,
  LenientField,
  LenientLayer,
  LenientProject,
  LenientTemplate,
} from './lenient-decode.ts';
import { outputFaults } from './output-rules.ts';
import { TemplateField } from './templates.ts';

const duplicates = (path: string, member: string, values: readonly (string | undefined)[]): readonly Fault[] =>
  values.flatMap((value, index) =>
    value === undefined || values.indexOf(value) === index
      ? []
      : [{ path: `${path}[${index}].${member}`, message: `"${value}" is used twice` }],
  );

const idsOf = (list: readonly { readonly id?: string }[] | undefined) => (list ?? []).map(({ id }) => id);

const named = (list: readonly (string | undefined)[]): readonly string[] => list.filter((name) => name !== undefined);

const assetFaults = (
  layer: LenientLayer,
  at: string,
  assets: readonly LenientAsset[] | undefined,
): readonly Fault[] => {
  if (layer.asset === undefined || assets === undefined) return [];
  const asset = assets.find(({ id }) => id === layer.asset);
  if (asset === undefined) {
    const fitting = assets.filter(({ kind }) => kind === undefined || kind === layer.type);
    const near = didYouMean(layer.asset, named(idsOf(fitting)));
    return [{ path: `${at}.asset`, message: `the project has no asset "${layer.asset}"${near}` }];
  }
  if (asset.kind === undefined || asset.kind === layer.type) return [];
  return [{ path: `${at}.asset`, message: `"${layer.asset}" is of kind ${asset.kind}, not ${layer.type}` }];
};

const compositionFaults = (
  composition: LenientComposition,
  path: string,
  assets: readonly LenientAsset[] | undefined,
): readonly Fault[] => {
  const { duration, poster_time = null, layers } = composition;
  return [
    ...limitFaults(composition, `${path}.`),
    ...hiddenTransitionFaults(layers ?? [], `${path}.`),
    ...duplicates(`${path}.layers`, 'id', idsOf(layers)),
    ...(duration !== undefined && poster_time !== null && poster_time >= duration
      ? [{ path: `${path}.poster_time`, message: `must be before the end of the composition (${duration} s)` }]
      : []),
    ...(layers ?? []).flatMap((layer, index) => assetFaults(layer, `${path}.layers[${index}]`, assets)),
  ];
};

const fieldFaults = (
  field: LenientField,
  at: string,
  { id: of, layers }: LenientComposition,
  assets: readonly LenientAsset[] | undefined,
): readonly Fault[] => {
  const { layer: layer_id, property } = field.target ?? {};
  if (layer_id === undefined || layers === undefined) return [];
  const layer = layers.find(({ id }) => id === layer_id);
  if (layer === undefined) {
    const near = didYouMean(layer_id, named(idsOf(layers)));
    return [{ path: `${at}.target.layer`, message: `"${of}" has no layer "${layer_id}"${near}` }];
  }
  if (layer.type === undefined || property === undefined) return [];
  const kind = kindOfProperty(layer.type, property);
  if (kind === null) {
    const near = didYouMean(property, bindablePropertiesOf(layer.type));
    return [
      {
        path: `${at}.target.property`,
        message: `a ${layer.type} layer has no property "${property}" that a field can set${near}`,
      },
    ];
  }
  if (property.startsWith('transition.') && layer.transition === null)
    return [{ path: `${at}.target.property`, message: `"${layer_id}" has no transition that a field can set` }];
  if (field.kind === undefined) return [];
  if (kind !== field.kind) return [{ path: `${at}.kind`, message: `must be ${kind}, the kind of "${property}"` }];
  if (!TemplateField.is(field) || !Layer.is(layer) || assets === undefined) return [];
  const driven = applyFieldValue(layer, field, field.default_value, assets);
  return E.isRight(driven) ? [] : driven.left.map(({ message }) => ({ path: `${at}.default_value`, message }));
};

const noComposition = (id: string, { compositions }: LenientProject): string =>
  `the project has no composition "${id}"${didYouMean(id, named(idsOf(compositions)))}`;

const templateFaults = (template: LenientTemplate, path: string, project: LenientProject): readonly Fault[] => {
  const { target_composition_id: target, fields = [] } = template;
  const composition = project.compositions?.find(({ id }) => id !== undefined && id === target);
  const targets = fields.map(({ target: { layer, property } = {} }) =>
    layer === undefined || property === undefined ? undefined : `${layer}.${property}`,
  );
  return [
    ...(target !== undefined && project.compositions !== undefined && composition === undefined
      ? [{ path: `${path}.target_composition_id`, message: noComposition(target, project) }]
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

export const referenceFaults = (project: LenientProject): readonly Fault[] => {
  const { main_composition_id: main_id, compositions, assets, templates, variants = [] } = project;
  const main = compositions?.find(({ id }) => id !== undefined && id === main_id);
  return [
    ...(main_id !== undefined && compositions !== undefined && main === undefined
      ? [{ path: 'main_composition_id', message: noComposition(main_id, project) }]
      : []),
    ...duplicates('compositions', 'id', idsOf(compositions)),
    ...duplicates('assets', 'id', idsOf(assets)),
    ...duplicates('templates', 'id', idsOf(templates)),
    ...duplicates(
      'variants',
      'name',
      variants.map(({ name }) => name),
    ),
    ...outputFaults(project, main),
    ...(compositions ?? []).flatMap((composition, index) =>
      compositionFaults(composition, `compositions[${index}]`, assets),
    ),
    ...(templates ?? []).flatMap((template, index) => templateFaults(template, `templates[${index}]`, project)),
  ];
};

export type FontFacts = { readonly font_family: string; readonly font_covers: string | null };

const fontsOf = (assets: readonly LenientAsset[], facts: ReadonlyMap<string, FontFacts>): readonly FontAsset[] =>
  assets.map(({ id = '', kind, font_family = null, font_covers = null }) => ({
    ...{ kind, font_family, font_covers },
    ...(font_family === null ? facts.get(id) : {}),
  }));

const hasUnknownFont = (fonts: readonly FontAsset[]): boolean =>
  fonts.some(({ kind, font_family }) => kind === 'font' && font_family === null);

/**
 * Faults of font families that neither the engine nor the project has; none if the family of any font file is unknown.
 * Stored projects skip this check: an older engine may have had the family, and a render's value may name another one.
 *
 * @param facts of font files that are not in the store yet, by asset id
 */
export const fontFaults = (
  { compositions = [], templates = [], assets }: LenientProject,
  facts: ReadonlyMap<string, FontFacts>,
): readonly Fault[] => {
  const fonts = assets === undefined ? undefined : fontsOf(assets, facts);
  if (fonts === undefined || hasUnknownFont(fonts)) return [];
  const isNoFont = (family: string | undefined): boolean => family !== undefined && !isFontFamily(family, fonts);
  const message = unknownFontMessage(fonts);
  return [
    ...compositions.flatMap(({ layers = [] }, c) =>
      layers.flatMap(({ font_family }, l) =>
        isNoFont(font_family) ? [{ path: `compositions[${c}].layers[${l}].font_family`, message }] : [],
      ),
    ),
    ...templates.flatMap(({ fields = [] }, t) =>
      fields.flatMap(({ target, default_value }, f) =>
        target?.property === 'font_family' && isNoFont(default_value)
          ? [{ path: `templates[${t}].fields[${f}].default_value`, message }]
          : [],
      ),
    ),
  ];
};

/**
 * Checks the default of a text field with its layer's own font, even if another field may replace the font.
 *
 * @param layers of the template's composition
 */
const defaultGlyphFaults = (
  { target, default_value }: LenientField,
  at: string,
  layers: readonly LenientLayer[],
  faultAt: (path: string, text: string, family: string) => readonly Fault[],
): readonly Fault[] => {
  const layer = layers.find(({ id }) => id !== undefined && id === target?.layer);
  if (target?.property !== 'text' || default_value === undefined || layer?.font_family === undefined) return [];
  return faultAt(`${at}.default_value`, default_value, layer.font_family);
};

/**
 * Stored projects skip this check as in `fontFaults`; the engine refuses characters that it cannot draw. None if the
 * family of any font file is unknown, because it may have the characters.
 *
 * @param facts of font files that are not in the store yet, by asset id
 */
export const glyphFaults = (
  { compositions = [], templates = [], assets }: LenientProject,
  facts: ReadonlyMap<string, FontFacts>,
): readonly Fault[] => {
  if (assets === undefined) return [];
  const fonts = fontsOf(assets, facts);
  if (hasUnknownFont(fonts)) return [];
  const glyphsOf = glyphsByFamily(fonts);
  const faultAt = (path: string, text: string, family: string): readonly Fault[] => {
    const code = firstUndrawableCharacter(text, glyphsOf(family));
    return code === null ? [] : [{ path, message: missingGlyphMessage(code) }];
  };
  return [
    ...compositions.flatMap(({ layers = [] }, c) =>
      layers.flatMap(({ text, font_family = 'Noto Sans' }, l) =>
        text === undefined ? [] : faultAt(`compositions[${c}].layers[${l}].text`, text, font_family),
      ),
    ),
    ...templates.flatMap(({ fields = [], target_composition_id }, t) => {
      const { layers = [] } = compositions.find(({ id }) => id !== undefined && id === target_composition_id) ?? {};
      return fields.flatMap((field, f) => defaultGlyphFaults(field, `templates[${t}].fields[${f}]`, layers, faultAt));
    }),
  ];
};
