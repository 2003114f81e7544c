import * as E from 'fp-ts/lib/Either.js';
import { normalizeNewlines } from '../shape/text-rules.ts';
import type { Fault } from './fault.ts';
import {
  applyCompositionValue,
  applyFieldValue,
  fieldLimitFault,
  givenValue,
  parseFieldValue,
} from './field-values.ts';
import { fieldFinder } from './find-field.ts';
import { type FlatLayer, type FlatLayers, flatLayersOf } from './flat-layers.ts';
import { type FontAsset, isFontFamily, unknownFontMessage } from './font-families.ts';
import { firstUndrawableCharacter, glyphsByFamily, MISSING_GLYPH, missingGlyphMessage } from './glyphs.ts';
import { interpolateTexts, type ShownValue } from './interpolated-texts.ts';
import { LIMITS } from './limits.ts';
import type { Composition, ProjectDocument } from './project-shape.ts';
import { type FetchedMedia, isRemote, remoteFault, remoteMediaOf } from './remote-media.ts';
import { type Template, type TemplateField, targetsOf } from './templates.ts';
import { transformText } from './text-transform.ts';
import { resolveVisible } from './visible-layers.ts';

export type Values = { readonly [key: string]: string };

/**
 * The `field` is `values.<key>`, or `values` for all of them. The `message` never contains the value. The
 * `to_requester` may quote a character of it, so only the sender of the value gets it.
 */
export type ValueFault = { readonly field: string; readonly message: string; readonly to_requester?: string };

const MAX_FAULTS = 10;
const MORE: ValueFault = { field: 'values', message: `may have more faults: these are the first ${MAX_FAULTS}` };

const sizeFaults = (values: Values): readonly ValueFault[] => {
  const entries = Object.entries(values);
  const bytes = entries.reduce((sum, [key, value]) => sum + new TextEncoder().encode(key + value).length, 0);
  return [
    ...(entries.length > LIMITS.values
      ? [{ field: 'values', message: `must have at most ${LIMITS.values} entries` }]
      : []),
    ...(bytes > LIMITS.values_bytes
      ? [{ field: 'values', message: `must be at most ${LIMITS.values_bytes / 1024} KiB in total` }]
      : []),
  ];
};

/**
 * True if a given value names an unknown font. Defaults are not checked: a stored project may name a font of an older
 * engine.
 */
const isNoFont = (
  { property }: { readonly property: string },
  value: string | undefined,
  assets: readonly FontAsset[],
): boolean => property === 'font_family' && value !== undefined && !isFontFamily(value, assets);

const missingGlyph = (key: string, code: number): ValueFault => ({
  field: `values.${key}`,
  message: MISSING_GLYPH,
  to_requester: missingGlyphMessage(code),
});

/** Checks only given values: the import and the engine check the project's own texts. */
const glyphFaults = (
  layers: readonly FlatLayer[],
  shown: readonly ShownValue[],
  { fields }: Template,
  values: Values,
  assets: readonly FontAsset[],
): readonly ValueFault[] => {
  const glyphsOf = glyphsByFamily(assets);
  const in_texts = shown.flatMap(({ key, layer, text }): readonly ValueFault[] => {
    if (layer.type !== 'text') return [];
    const code = firstUndrawableCharacter(transformText(text, layer), glyphsOf(layer.font_family));
    return code === null ? [] : [missingGlyph(key, code)];
  });
  const in_layers = fields.flatMap((field): readonly ValueFault[] => {
    const { key } = field;
    const value = givenValue(values, key);
    if (value === undefined) return [];
    const text = normalizeNewlines(value);
    const driven = targetsOf(field).flatMap(({ layer: layer_id, property }) => {
      const layer = property === 'text' ? layers.find(({ id }) => id === layer_id) : undefined;
      return layer?.type === 'text' && layer.text === text ? [layer] : [];
    });
    const code = driven
      .map((layer) => firstUndrawableCharacter(transformText(text, layer), glyphsOf(layer.font_family)))
      .find((one) => one !== null);
    return code === undefined || code === null ? [] : [missingGlyph(key, code)];
  });
  return [...in_layers, ...in_texts];
};

type DrivenProperty = Pick<TemplateField, 'key' | 'kind' | 'default_value'> & { readonly property: string };

const driveRemote = (
  layer: FlatLayer,
  { key, kind, property }: DrivenProperty,
  url: string,
  fetched: FetchedMedia,
): E.Either<readonly Pick<Fault, 'message'>[], FlatLayer> => {
  const fault = remoteFault(url);
  if (fault !== null) return E.left([{ message: fault }]);
  if (fetched === 'to_be_fetched') return E.right(layer);
  const asset = fetched.get(key);
  return asset === undefined
    ? E.left([{ message: 'is a URL or an upload whose file was not fetched' }])
    : applyFieldValue(layer, { kind, property }, asset.id, [asset]);
};

/** Checks the limits of the fields themselves. The defaults are checked when the project is stored. */
const limitFaults = ({ fields }: Template, values: Values): readonly ValueFault[] =>
  fields.flatMap((field): readonly ValueFault[] => {
    const value = givenValue(values, field.key);
    const message = value === undefined ? null : fieldLimitFault(field, value);
    return message === null ? [] : [{ field: `values.${field.key}`, message }];
  });

/** The kinds of values that no layer checks, because only texts show them. */
const kindFaults = ({ fields }: Template, values: Values): readonly ValueFault[] =>
  fields.flatMap((field) => {
    const value = givenValue(values, field.key);
    if (value === undefined || targetsOf(field).length > 0) return [];
    const parsed = parseFieldValue(field.kind, value, []);
    return E.isRight(parsed) ? [] : [{ field: `values.${field.key}`, message: parsed.left }];
  });

const drivenOf = ({ fields }: Template, layer_id: string | undefined): readonly DrivenProperty[] =>
  fields.flatMap((field) =>
    targetsOf(field).flatMap(({ layer, property }) => (layer === layer_id ? [{ ...field, property }] : [])),
  );

/** A field that drives several properties can have one fault several times. */
const distinct = (faults: readonly ValueFault[]): readonly ValueFault[] => [
  ...new Map(faults.map((fault) => [`${fault.field}: ${fault.message}`, fault] as const)).values(),
];

const remoteFaults = (document: ProjectDocument, template: Template, values: Values): readonly ValueFault[] =>
  remoteMediaOf(document, template.id, values).length > LIMITS.remote_media
    ? [{ field: 'values', message: `must have at most ${LIMITS.remote_media} URLs and uploads` }]
    : [];

/** A composition whose list of layers is flat, with the parents of each layer and its path in the document. */
export type FlatComposition = Omit<Composition, 'layers'> & {
  readonly layers: readonly FlatLayer[];
  readonly parents: readonly FlatLayers[number]['parents'][];
  readonly paths: readonly string[];
};

export const flatComposition = (composition: Composition): FlatComposition => {
  const flat = flatLayersOf(composition.layers);
  return {
    ...composition,
    layers: flat.map(({ layer }) => layer),
    parents: flat.map(({ parents }) => parents),
    paths: flat.map(({ path }) => path),
  };
};

/** The properties of the composition itself. */
const driveComposition = (
  composition: FlatComposition,
  template: Template,
  values: Values,
  faults: ValueFault[],
): FlatComposition =>
  drivenOf(template, undefined).reduce((driven: FlatComposition, field) => {
    const value = givenValue(values, field.key);
    const next = applyCompositionValue(driven, field, value ?? field.default_value);
    if (E.isRight(next)) return next.right;
    for (const { message } of next.left) faults.push({ field: `values.${field.key}`, message });
    return driven;
  }, composition);

/** @param composition of the template */
export const applyValues = (
  document: ProjectDocument,
  composition: FlatComposition,
  template: Template,
  values: Values,
  fetched: FetchedMedia,
): E.Either<readonly ValueFault[], FlatComposition> => {
  const faults: ValueFault[] = [
    ...sizeFaults(values),
    ...remoteFaults(document, template, values),
    ...[...kindFaults(template, values), ...limitFaults(template, values)].slice(0, MAX_FAULTS),
  ];
  const driven_composition = driveComposition(composition, template, values, faults);
  const applied = composition.layers.map((layer) =>
    drivenOf(template, layer.id).reduce((driven: FlatLayer, field) => {
      if (faults.length >= MAX_FAULTS) return driven;
      const value = givenValue(values, field.key);
      if (isNoFont(field, value, document.assets))
        faults.push({ field: `values.${field.key}`, message: unknownFontMessage(document.assets) });
      const next =
        value !== undefined && isRemote(field.kind, value, document.assets)
          ? driveRemote(driven, field, value, fetched)
          : applyFieldValue(driven, field, value ?? field.default_value, document.assets);
      if (E.isRight(next)) return next.right;
      for (const { message } of next.left) faults.push({ field: `values.${field.key}`, message });
      return driven;
    }, layer),
  );
  const refused = new Set(faults.map(({ field }) => field.slice('values.'.length)));
  const {
    layers,
    shown,
    faults: in_texts,
  } = interpolateTexts(document, composition.id, template, values, applied, refused);
  for (const { layer, key, message } of in_texts)
    faults.push(
      key === null
        ? { field: 'values', message: `${composition.paths[layer]}.text: ${message}` }
        : { field: `values.${key}`, message },
    );
  faults.push(...glyphFaults(applied, shown, template, values, document.assets));
  if (faults.length === 0) {
    const findField = fieldFinder(document, composition.id, template, values, refused);
    return E.right({ ...driven_composition, layers: resolveVisible(layers, findField) });
  }
  const found = distinct(faults);
  return E.left(faults.length < MAX_FAULTS ? found : [...found.slice(0, MAX_FAULTS), MORE]);
};

/** The composition without a template. Its texts show the defaults of their fields. */
export const applyDefaults = (
  document: ProjectDocument,
  composition: FlatComposition,
): E.Either<readonly Fault[], FlatComposition> => {
  const { layers, faults } = interpolateTexts(document, composition.id, null, {}, composition.layers);
  const findField = fieldFinder(document, composition.id, null, {}, new Set());
  return faults.length === 0
    ? E.right({ ...composition, layers: resolveVisible(layers, findField) })
    : E.left(faults.map(({ layer, message }) => ({ path: `${composition.paths[layer]}.text`, message })));
};

/** Checks values without network access: of a URL or an upload, only the form. */
export const checkValues = (
  document: ProjectDocument,
  template: Template,
  values: Values,
): E.Either<readonly ValueFault[], void> => {
  const composition = document.compositions.find(({ id }) => id === template.target_composition_id);
  if (composition === undefined) return E.right(undefined);
  const applied = applyValues(document, flatComposition(composition), template, values, 'to_be_fetched');
  return E.isRight(applied) ? E.right(undefined) : E.left(applied.left);
};
