import * as E from 'fp-ts/lib/Either.js';
import { separate } from 'fp-ts/lib/ReadonlyArray.js';
import { didYouMean } from '../near-name.ts';
import {
  bindablePropertiesOf,
  COMPOSITION_PROPERTIES,
  kindOfCompositionProperty,
  kindOfProperty,
} from './bindable-properties.ts';
import { limitFaults } from './bounds.ts';
import { distinctFaults, type Fault } from './fault.ts';
import { applyCompositionValue, applyFieldValue, fieldLimitFault, parseFieldValue } from './field-values.ts';
import type { FlatLayer } from './flat-layers.ts';
import { timedAndPlaced } from './flat-project.ts';
import { type FontAsset, isFontFamily, unknownFontMessage } from './font-families.ts';
import { firstUndrawableCharacter, glyphsByFamily, missingGlyphMessage } from './glyphs.ts';
import { interpolatesTexts } from './interpolated-texts.ts';
import { keyframeMember } from './keyframes.ts';
import { hiddenTransitionFaults } from './layer-transition-rules.ts';
import { FLAT_CODECS } from './layers.ts';
import {
  type LenientAsset,
  type LenientComposition,
  type LenientField,
  type LenientLayer,
  type LenientProject,
  type LenientTemplate,
  lenientTargets,
} from './lenient-decode.ts';
import { outputFaults } from './output-rules.ts';
import { TemplateField, targetsOf } from './templates.ts';
import { type LetterStyle, stylesByKey } from './text-faults.ts';
import { transformText } from './text-transform.ts';
import { keysInVisible, visibleFaults } from './visible-layers.ts';

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
  project: LenientProject,
): readonly Fault[] => {
  const { poster_time = null, layers } = composition;
  const { composition: timed, faults } = timedAndPlaced(composition, project);
  const { duration } = timed;
  return [
    ...faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })),
    ...limitFaults(timed, `${path}.`),
    ...hiddenTransitionFaults(timed.layers ?? [], `${path}.`),
    ...duplicates(`${path}.layers`, 'id', idsOf(layers)),
    ...(duration !== undefined && poster_time !== null && poster_time >= duration
      ? [{ path: `${path}.poster_time`, message: `must be before the end of the composition (${duration} s)` }]
      : []),
    ...(layers ?? []).flatMap((layer, index) => assetFaults(layer, `${path}.layers[${index}]`, project.assets)),
  ];
};

type StylesByKey = ReturnType<typeof stylesByKey>;

/** The layer is null if the target is a property of the composition. */
type BoundTarget = { readonly layer: LenientLayer | null; readonly property: string };

const wrong = (path: string, message: string): E.Either<readonly Fault[], null> => E.left([{ path, message }]);

const compositionTarget = (
  { kind: field_kind }: LenientField,
  at: string,
  path: string,
  property: string,
): E.Either<readonly Fault[], BoundTarget | null> => {
  const kind = kindOfCompositionProperty(property);
  if (kind === null) {
    const near = didYouMean(property, COMPOSITION_PROPERTIES) || '; name a layer';
    return wrong(`${at}.${path}.property`, `a composition has no property "${property}" that a field can set${near}`);
  }
  return field_kind === kind
    ? E.right({ layer: null, property })
    : wrong(`${at}.kind`, `must be ${kind}, the kind of "${property}"`);
};

const missingKeyframe = (layer: LenientLayer, property: string): boolean => {
  const member = keyframeMember(property);
  return member !== null && layer.keyframes !== undefined && layer.keyframes[member.list][member.index] === undefined;
};

/**
 * Null if the document is too incomplete to tell.
 *
 * @param at the path of the field
 * @param path the path of the target in it
 */
const boundTarget = (
  field: LenientField,
  at: string,
  { path, target: { layer: layer_id, property } }: ReturnType<typeof lenientTargets>[number],
  { id: of, layers }: LenientComposition,
): E.Either<readonly Fault[], BoundTarget | null> => {
  const { kind: field_kind } = field;
  // In a valid field, a target without layer names the composition. Otherwise the name of the layer may be invalid.
  if (layer_id === undefined && property !== undefined && TemplateField.is(field))
    return compositionTarget(field, at, path, property);
  if (layer_id === undefined || layers === undefined) return E.right(null);
  const layer = layers.find(({ id }) => id === layer_id);
  if (layer === undefined) {
    const near = didYouMean(layer_id, named(idsOf(layers)));
    return wrong(`${at}.${path}.layer`, `"${of}" has no layer "${layer_id}"${near}`);
  }
  if (layer.type === undefined || property === undefined) return E.right(null);
  const kind = kindOfProperty(layer.type, property);
  if (kind === null) {
    const near = didYouMean(property, bindablePropertiesOf(layer.type));
    const message = `a ${layer.type} layer has no property "${property}" that a field can set${near}`;
    return wrong(`${at}.${path}.property`, message);
  }
  if (missingKeyframe(layer, property))
    return wrong(`${at}.${path}.property`, `"${layer_id}" has no keyframe of "${property}"`);
  if (property.startsWith('transition.') && layer.transition === null)
    return wrong(`${at}.${path}.property`, `"${layer_id}" has no transition that a field can set`);
  if (field_kind !== undefined && kind !== field_kind)
    return wrong(`${at}.kind`, `must be ${kind}, the kind of "${property}"`);
  return E.right({ layer, property });
};

/** A property has the same codec in all layers of a type, except the members of a transition and of keyframes. */
const codecName = ({ layer, property }: BoundTarget): string => {
  if (layer === null) return property;
  return `${property.includes('.') ? layer.id : layer.type}.${property}`;
};

const isWhole = (layer: LenientLayer): layer is FlatLayer =>
  layer.type !== undefined && FLAT_CODECS[layer.type].is({ ...layer, start: 0 });

const valueFaults = (
  field: TemplateField,
  at: string,
  targets: readonly BoundTarget[],
  assets: readonly LenientAsset[],
): readonly Fault[] => {
  const values = [
    { value: field.default_value, path: `${at}.default_value` },
    ...(field.choices ?? []).map((value, index) => ({ value, path: `${at}.choices[${index}]` })),
  ];
  const distinct = new Map(targets.map((target) => [codecName(target), target] as const));
  if (targetsOf(field).length === 0)
    return values.flatMap(({ value, path }) => {
      const parsed = parseFieldValue(field.kind, value, assets);
      return E.isRight(parsed) ? [] : [{ path, message: parsed.left }];
    });
  return [...distinct.values()].flatMap(({ layer, property }) => {
    if (layer !== null && !isWhole(layer)) return [];
    return values.flatMap(({ value, path }) => {
      const set = { kind: field.kind, property };
      const driven: E.Either<readonly Fault[], unknown> =
        layer === null
          ? applyCompositionValue({ duration: 1, background: '#000000' }, set, value)
          : applyFieldValue(layer, set, value, assets);
      return E.isRight(driven) ? [] : driven.left.map(({ message }) => ({ path, message }));
    });
  });
};

const KIND_OF_LIMIT = { min: 'number', max: 'number', max_length: 'text' } as const;

const fieldLimitFaults = (field: LenientField, at: string): readonly Fault[] => {
  const { kind, min, max, max_length, choices, default_value } = field;
  const misplaced = (['min', 'max', 'max_length'] as const).flatMap((name) =>
    field[name] !== undefined && kind !== undefined && kind !== KIND_OF_LIMIT[name]
      ? [{ path: `${at}.${name}`, message: `is only for fields of kind ${KIND_OF_LIMIT[name]}` }]
      : [],
  );
  if (misplaced.length > 0) return misplaced;
  if (choices !== undefined && kind === 'toggle')
    return [{ path: `${at}.choices`, message: 'is not for fields of kind toggle' }];
  if (min !== undefined && max !== undefined && min > max)
    return [{ path: `${at}.min`, message: `must be <= max (${max})` }];
  const message =
    kind === undefined || default_value === undefined
      ? null
      : fieldLimitFault({ kind, min, max, max_length, choices }, default_value);
  return message === null ? [] : [{ path: `${at}.default_value`, message }];
};

const fieldFaults = (
  field: LenientField,
  at: string,
  composition: LenientComposition,
  assets: readonly LenientAsset[] | undefined,
): readonly Fault[] => {
  const bound = separate(lenientTargets(field).map((target) => boundTarget(field, at, target, composition)));
  const targets = bound.right.filter((target) => target !== null);
  const faults = [
    ...bound.left.flat(),
    ...(TemplateField.is(field) && assets !== undefined ? valueFaults(field, at, targets, assets) : []),
  ];
  return distinctFaults(faults);
};

/**
 * A field has an effect: it has either `target` or `targets`, or a text shows it, or it decides whether a layer is
 * visible.
 *
 * @param in_texts the keys in the texts of the composition; null if unknown
 */
const drivenFaults = (
  { key, target, targets }: LenientField,
  at: string,
  project: LenientProject,
  in_texts: StylesByKey,
  in_visible: ReadonlySet<string>,
): readonly Fault[] => {
  if (target === undefined && targets === undefined) {
    if (key !== undefined && in_visible.has(key)) return [];
    const message = 'is required, or targets';
    if (!interpolatesTexts(project)) return [{ path: `${at}.target`, message }];
    if (key === undefined || in_texts === null || in_texts.has(key)) return [];
    return [{ path: `${at}.target`, message: `${message}, or {{${key}}} in a text` }];
  }
  return target !== undefined && targets !== undefined
    ? [{ path: `${at}.targets`, message: 'cannot be combined with target' }]
    : [];
};

const duplicateTargets = (fields: readonly LenientField[], at: string): readonly Fault[] => {
  const used = new Set<string>();
  return fields.flatMap((field, index) =>
    lenientTargets(field).flatMap(({ path, target: { layer, property } }) => {
      const target = layer === undefined ? `${property}` : `${layer}.${property}`;
      const is_unknown = property === undefined || (layer === undefined && !TemplateField.is(field));
      if (is_unknown || !used.has(target)) {
        used.add(target);
        return [];
      }
      return [{ path: `${at}.fields[${index}].${path}`, message: `"${target}" is used twice` }];
    }),
  );
};

const noComposition = (id: string, { compositions }: LenientProject): string =>
  `the project has no composition "${id}"${didYouMean(id, named(idsOf(compositions)))}`;

/** Reads the texts of each composition once, because many templates can have the same one. */
const fieldsInTexts = (project: LenientProject): ((composition: LenientComposition | undefined) => StylesByKey) => {
  const known = new Map<LenientComposition, StylesByKey>();
  return (composition) => {
    if (composition === undefined) return null;
    const keys = known.has(composition) ? (known.get(composition) ?? null) : stylesByKey(project, composition);
    known.set(composition, keys);
    return keys;
  };
};

const templateFaults = (
  template: LenientTemplate,
  path: string,
  project: LenientProject,
  inTexts: (composition: LenientComposition | undefined) => StylesByKey,
): readonly Fault[] => {
  const { target_composition_id: target, fields = [] } = template;
  const composition = project.compositions?.find(({ id }) => id !== undefined && id === target);
  const in_texts = inTexts(composition);
  const in_visible = keysInVisible(composition ?? {});
  return [
    ...(target !== undefined && project.compositions !== undefined && composition === undefined
      ? [{ path: `${path}.target_composition_id`, message: noComposition(target, project) }]
      : []),
    ...duplicates(
      `${path}.fields`,
      'key',
      fields.map(({ key }) => key),
    ),
    ...duplicateTargets(fields, path),
    ...fields.flatMap((field, index) => [
      ...drivenFaults(field, `${path}.fields[${index}]`, project, in_texts, in_visible),
      ...fieldLimitFaults(field, `${path}.fields[${index}]`),
    ]),
    ...(composition === undefined
      ? []
      : fields.flatMap((field, index) => fieldFaults(field, `${path}.fields[${index}]`, composition, project.assets))),
  ];
};

export const referenceFaults = (project: LenientProject): readonly Fault[] => {
  const { main_composition_id: main_id, compositions, assets, templates, variants = [] } = project;
  const main = compositions?.find(({ id }) => id !== undefined && id === main_id);
  const inTexts = fieldsInTexts(project);
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
    ...outputFaults(project, main === undefined ? undefined : timedAndPlaced(main, project).composition),
    ...visibleFaults(project),
    ...(compositions ?? []).flatMap((composition, index) =>
      compositionFaults(composition, `compositions[${index}]`, project),
    ),
    ...(templates ?? []).flatMap((template, index) =>
      templateFaults(template, `templates[${index}]`, project, inTexts),
    ),
  ];
};

export type FontFacts = { readonly font_family: string; readonly font_covers: string | null };

const fontsOf = (assets: readonly LenientAsset[], facts: ReadonlyMap<string, FontFacts>): readonly FontAsset[] =>
  assets.map(({ id = '', kind, font_family = null, font_covers = null }) => ({
    ...{ kind, font_family, font_covers },
    ...(font_family === null ? facts.get(id) : {}),
  }));

const drivesProperty = (field: LenientField, property: string): boolean =>
  lenientTargets(field).some(({ target }) => target.property === property);

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
      fields.flatMap((field, f) =>
        drivesProperty(field, 'font_family') && isNoFont(field.default_value)
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
 * @param shown_in the styles of the texts that show the field
 */
const defaultGlyphFaults = (
  field: LenientField,
  at: string,
  layers: readonly LenientLayer[],
  shown_in: readonly LetterStyle[],
  faultAt: (path: string, text: string, style: LetterStyle) => readonly Fault[],
): readonly Fault[] => {
  const { default_value } = field;
  if (default_value === undefined) return [];
  const in_texts = shown_in.flatMap((style) => faultAt(`${at}.default_value`, default_value, style));
  if (in_texts.length > 0) return in_texts.slice(0, 1);
  const faults = lenientTargets(field).flatMap(({ target: { layer: layer_id, property } }) => {
    const layer = layers.find(({ id }) => id !== undefined && id === layer_id);
    return property !== 'text' || layer?.font_family === undefined
      ? []
      : faultAt(`${at}.default_value`, default_value, layer);
  });
  return faults.slice(0, 1);
};

/**
 * Stored projects skip this check as in `fontFaults`; the engine refuses characters that it cannot draw. None if the
 * family of any font file is unknown, because it may have the characters.
 *
 * @param facts of font files that are not in the store yet, by asset id
 */
export const glyphFaults = (project: LenientProject, facts: ReadonlyMap<string, FontFacts>): readonly Fault[] => {
  const { compositions = [], templates = [], assets } = project;
  if (assets === undefined) return [];
  const fonts = fontsOf(assets, facts);
  if (hasUnknownFont(fonts)) return [];
  const glyphsOf = glyphsByFamily(fonts);
  const stylesOf = fieldsInTexts(project);
  const faultAt = (path: string, text: string, style: LetterStyle): readonly Fault[] => {
    const code = firstUndrawableCharacter(transformText(text, style), glyphsOf(style.font_family ?? 'Noto Sans'));
    return code === null ? [] : [{ path, message: missingGlyphMessage(code) }];
  };
  return [
    ...compositions.flatMap(({ layers = [] }, c) =>
      layers.flatMap((layer, l) =>
        (['text', 'ellipsis'] as const).flatMap((member) => {
          const text = layer[member];
          const style = member === 'text' ? layer : { ...layer, text_transform: undefined };
          return text === undefined ? [] : faultAt(`compositions[${c}].layers[${l}].${member}`, text, style);
        }),
      ),
    ),
    ...templates.flatMap(({ fields = [], target_composition_id }, t) => {
      const composition = compositions.find(({ id }) => id !== undefined && id === target_composition_id) ?? {};
      const { layers = [] } = composition;
      const styles = stylesOf(composition);
      return fields.flatMap((field, f) => {
        const shown_in = styles?.get(field.key ?? '') ?? [];
        return defaultGlyphFaults(field, `templates[${t}].fields[${f}]`, layers, shown_in, faultAt);
      });
    }),
  ];
};
