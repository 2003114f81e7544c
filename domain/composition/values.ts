import * as E from 'fp-ts/lib/Either.js';
import { normalizeNewlines } from '../shape/text-rules.ts';
import type { Fault } from './fault.ts';
import { applyFieldValue } from './field-values.ts';
import { type FontAsset, isFontFamily, unknownFontMessage } from './font-families.ts';
import { firstUndrawableCharacter, glyphsByFamily, MISSING_GLYPH, missingGlyphMessage } from './glyphs.ts';
import type { Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import type { ProjectDocument } from './project-shape.ts';
import { type FetchedMedia, isRemote, remoteFault, remoteMediaOf } from './remote-media.ts';
import type { Template, TemplateField } from './templates.ts';

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
const isNoFont = ({ target }: TemplateField, value: string | undefined, assets: readonly FontAsset[]): boolean =>
  target.property === 'font_family' && value !== undefined && !isFontFamily(value, assets);

/** Checks only given values: the import and the engine check the project's own texts. */
const glyphFaults = (
  layers: readonly Layer[],
  { fields }: Template,
  values: Values,
  assets: readonly FontAsset[],
): readonly ValueFault[] => {
  const glyphsOf = glyphsByFamily(assets);
  return fields.flatMap(({ key, target }): readonly ValueFault[] => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (target.property !== 'text' || value === undefined) return [];
    const layer = layers.find(({ id }) => id === target.layer);
    if (layer?.type !== 'text' || layer.text !== normalizeNewlines(value)) return [];
    const code = firstUndrawableCharacter(layer.text, glyphsOf(layer.font_family));
    return code === null
      ? []
      : [{ field: `values.${key}`, message: MISSING_GLYPH, to_requester: missingGlyphMessage(code) }];
  });
};

const driveRemote = (
  layer: Layer,
  field: TemplateField,
  url: string,
  fetched: FetchedMedia,
): E.Either<readonly Pick<Fault, 'message'>[], Layer> => {
  const fault = remoteFault(url);
  if (fault !== null) return E.left([{ message: fault }]);
  if (fetched === 'to_be_fetched') return E.right(layer);
  const asset = fetched.get(field.key);
  return asset === undefined
    ? E.left([{ message: 'is a URL or an upload whose file was not fetched' }])
    : applyFieldValue(layer, field, asset.id, [asset]);
};

const remoteFaults = (document: ProjectDocument, template: Template, values: Values): readonly ValueFault[] =>
  remoteMediaOf(document, template.id, values).length > LIMITS.remote_media
    ? [{ field: 'values', message: `must have at most ${LIMITS.remote_media} URLs and uploads` }]
    : [];

export const applyValues = (
  document: ProjectDocument,
  template: Template,
  values: Values,
  fetched: FetchedMedia,
): E.Either<readonly ValueFault[], readonly Layer[]> => {
  const composition = document.compositions.find(({ id }) => id === template.target_composition_id);
  const faults: ValueFault[] = [...sizeFaults(values), ...remoteFaults(document, template, values)];
  const layers = (composition?.layers ?? []).map((layer) =>
    template.fields
      .filter(({ target }) => target.layer === layer.id)
      .reduce((driven: Layer, field) => {
        if (faults.length >= MAX_FAULTS) return driven;
        const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined;
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
  faults.push(...glyphFaults(layers, template, values, document.assets));
  if (faults.length === 0) return E.right(layers);
  return E.left(faults.length < MAX_FAULTS ? faults : [...faults.slice(0, MAX_FAULTS), MORE]);
};

/** Checks values without network access: of a URL or an upload, only the form. */
export const checkValues = (
  document: ProjectDocument,
  template: Template,
  values: Values,
): E.Either<readonly ValueFault[], void> => {
  const applied = applyValues(document, template, values, 'to_be_fetched');
  return E.isRight(applied) ? E.right(undefined) : E.left(applied.left);
};
