import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { listOf, number, orNull, text, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { limitFaults, peakInputFaults } from './bounds.ts';
import { drawingVersionOf } from './drawing-version.ts';
import { DRAWING_VERSION, ROUNDED_TIMES_SINCE, SVG_FONTS_SINCE } from './engine-version.ts';
import { type Fault, faultsOf, faultText } from './fault.ts';
import { fieldCausingFault } from './field-values.ts';
import { FILE_FORMATS } from './file-forms.ts';
import { FinalAsset } from './final-asset.ts';
import { FinalLayer, finalLayers } from './final-layers.ts';
import { placeInGroups, type TimedFlatLayer, withHiddenGroups } from './flat-layers.ts';
import { flatStarts, placeTimed, withoutGrouped } from './flat-project.ts';
import { FrameRate, frameAt, framesOf } from './frame-rate.ts';
import { LayerGroups } from './layer-groups.ts';
import { type LengthOf, longestDuration, type ShownTimes, shownTimes, timedComposition } from './layer-times.ts';
import { withoutHiddenTransitions } from './layer-transition-rules.ts';
import { LIMITS } from './limits.ts';
import { Color } from './names.ts';
import { previewOf } from './output-rules.ts';
import { type Master, Preview, type ProjectDocument } from './project-shape.ts';
import { type FetchedMedia, fetchedAssets, NO_FETCHED_MEDIA, remoteMediaOf } from './remote-media.ts';
import { roundedTime, withRoundedTimes } from './rounded-times.ts';
import { CompositionId, type TemplateField, targetsOf } from './templates.ts';
import { transformFaults, withTransformedText } from './text-transform.ts';
import {
  applyDefaults,
  applyValues,
  type FlatComposition,
  flatComposition,
  type ValueFault,
  type Values,
} from './values.ts';
import { CRF, Quality, VideoCodec } from './video-codecs.ts';

const wholeSide = number({ min: 2, max: LIMITS.side, whole: true });

export const FinalVariant = strictObject({
  name: text({ min: 1, max: 32 }),
  width: wholeSide,
  height: wholeSide,
  codec: withDefault(VideoCodec, 'h264'),
  quality: withDefault(Quality, 'standard'),
  crf: number({ min: 1, max: 63, whole: true }),
});
export type FinalVariant = t.TypeOf<typeof FinalVariant>;

/**
 * The composition of one render. It has all that the engine needs, except the bytes of the assets. `engine` is the
 * version of the drawing rules; `poster_frame` counts from 0.
 */
export const FinalComposition = strictObject({
  engine: number({ min: 1, max: DRAWING_VERSION, whole: true }),
  composition: strictObject({
    id: CompositionId,
    width: wholeSide,
    height: wholeSide,
    fps: FrameRate,
    duration: number({ above: 0, max: LIMITS.duration_s }),
    background: Color,
    groups: LayerGroups,
    layers: listOf(FinalLayer, { max: LIMITS.layers }),
  }),
  assets: listOf(FinalAsset, { max: LIMITS.assets }),
  variants: listOf(FinalVariant, { min: 1, max: LIMITS.variants + 1 }),
  preview: orNull(Preview),
  poster_frame: number({ min: 0, whole: true }),
});
export type FinalComposition = t.TypeOf<typeof FinalComposition>;

export const decodeFinalComposition = (json: unknown): E.Either<readonly Fault[], FinalComposition> =>
  pipe(FinalComposition.decode(json), E.mapLeft(faultsOf));

/**
 * The `field` names the faulty value, like `values.price`. The `to_requester` may quote a character of the value, so
 * only the client that sent the value gets it, and it is never recorded.
 */
export type CompositionFault = {
  readonly code: 'unknown_template' | 'unknown_composition' | 'invalid_values' | 'out_of_bounds';
  readonly message: string;
  readonly to_requester?: string;
  readonly field?: string;
};

const encodingOf = ({ codec, quality, crf }: Master) => ({ codec, quality, crf: crf ?? CRF[codec][quality] });

export const evenSide = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

const variantsOf = (
  composition: { readonly width: number; readonly height: number },
  { master, variants }: Pick<ProjectDocument, 'master' | 'variants'>,
): readonly FinalVariant[] => [
  { name: 'master', width: composition.width, height: composition.height, ...encodingOf(master) },
  ...variants
    .filter(({ height }) => height <= composition.height)
    .map((variant) => ({
      name: variant.name,
      width: evenSide((composition.width * variant.height) / composition.height),
      height: variant.height,
      ...encodingOf(variant),
    })),
];

const invalidValues = (faults: readonly ValueFault[]): CompositionFault => {
  const first = faults[0];
  const joinMessages = (messageOf: (fault: ValueFault) => string) =>
    faults.map((fault) => `${fault.field}: ${messageOf(fault)}`).join('; ');
  const message = joinMessages((fault) => fault.message);
  const to_requester = joinMessages((fault) => fault.to_requester ?? fault.message);
  const more = to_requester === message ? {} : { to_requester };
  return first === undefined
    ? { code: 'invalid_values', message }
    : { code: 'invalid_values', message, ...more, field: first.field };
};

const FLAT_PATH = /^layers\[(\d+)\]/;

/** The path in the document of a path in a flat list of layers. */
const inDocument = (path: string, paths: readonly string[]): string => {
  const [found = '', index] = FLAT_PATH.exec(path) ?? [];
  return index === undefined ? path : `${paths[Number(index)] ?? found}${path.slice(found.length)}`;
};

/** The same property of the groups around a layer, the innermost first. */
const pathsOfGroups = (path: string, parents: FlatComposition['parents']): readonly string[] => {
  const [found = '', index] = FLAT_PATH.exec(path) ?? [];
  return (parents[Number(index)] ?? []).toReversed().map((parent) => `layers[${parent}]${path.slice(found.length)}`);
};

const outOfBounds = (
  faults: readonly Fault[],
  fields: readonly TemplateField[],
  { layers, parents, paths }: Pick<FlatComposition, 'layers' | 'parents' | 'paths'>,
  values: Values,
): CompositionFault => {
  const messages = faults.map(({ path, message }) => {
    const key = [path, ...pathsOfGroups(path, parents)]
      .map((at) => fieldCausingFault(at, fields, layers, values))
      .find((found) => found !== null);
    return { path: key === undefined ? inDocument(path, paths) : `values.${key}`, message };
  });
  const message = messages.map(faultText).join('; ');
  const field = messages.find(({ path }) => path.startsWith('values.'))?.path;
  return field === undefined ? { code: 'out_of_bounds', message } : { code: 'out_of_bounds', message, field };
};

const roundsTimes = ({ engine }: Pick<ProjectDocument, 'engine'>): boolean => engine >= ROUNDED_TIMES_SINCE;

export const snapToFrame = (document: Pick<ProjectDocument, 'engine'>, time_s: number, fps: FrameRate): number =>
  roundsTimes(document) ? roundedTime(time_s, fps) : time_s;

/** True if the file may be an SVG, which can use any font of the project. A file from a URL has no known type. */
const maybeSvg = ({ kind, content_type }: Pick<FinalAsset, 'kind' | 'content_type'>): boolean =>
  kind === 'image' && !FILE_FORMATS.some((form) => form.name !== 'SVG' && form.content_type === content_type);

/** The lengths of the videos and sounds that values name by URL or upload, in seconds, by the key of the field. */
export type ValueLengths = ReadonlyMap<string, number>;

const NO_LENGTHS: ValueLengths = new Map();

/** A file of a value has the length that is given with it, and never that of the asset which it replaces. */
const lengthOfLayers = (
  document: ProjectDocument,
  template_id: string | null,
  values: Values,
  lengths: ValueLengths,
): LengthOf => {
  const fields = document.templates.find(({ id }) => id === template_id)?.fields ?? [];
  const remote = new Set(remoteMediaOf(document, template_id, values).map(({ field }) => field));
  const field_of_layer = new Map(
    fields
      .filter(({ key }) => remote.has(key))
      .flatMap((field) =>
        targetsOf(field).flatMap(({ layer, property }) => (property === 'asset' ? [[layer, field.key] as const] : [])),
      ),
  );
  return ({ id, asset }) => {
    const field = field_of_layer.get(id);
    if (field !== undefined) return lengths.get(field);
    return document.assets.find((one) => one.id === asset)?.duration_s;
  };
};

type PlainComposition = Omit<FlatComposition, 'duration' | 'layers'> & {
  readonly duration: number;
  readonly layers: readonly TimedFlatLayer[];
};

/** `is_longest` is true if lengths are unknown, so that the composition has the largest duration that is possible. */
type ResolvedTimes = { readonly composition: PlainComposition; readonly is_longest: boolean };

const LENGTH_UNKNOWN =
  'has an unknown length, because a former release stored it, or without its media check: upload the file again';

/** Faults that depend on unknown lengths are found when the lengths are known. */
const resolveTimes = (
  composition: FlatComposition,
  options: Parameters<typeof timedComposition>[1],
  is_complete: boolean,
): E.Either<readonly Fault[], ResolvedTimes> => {
  const { composition: found, faults } = timedComposition(withoutGrouped(composition), options);
  const { parents } = composition;
  const starts = flatStarts(composition.layers, found.layers, parents);
  const timed = { ...found, layers: placeTimed(composition.layers, starts, parents, composition) };
  const of_numbers =
    faults.length > 0
      ? []
      : [...limitFaults(timed, ''), ...peakInputFaults(timed, ''), ...transformFaults(composition.layers)];
  if (faults.length + of_numbers.length > 0) return E.left([...faults, ...of_numbers]);
  const is_longest = timed.duration === undefined || starts.includes(undefined);
  const unknown = composition.layers.findIndex(
    (layer) => layer.duration === 'media' && options.lengthOf(layer) === undefined,
  );
  if (is_longest && is_complete) return E.left([{ path: `layers[${unknown}].asset`, message: LENGTH_UNKNOWN }]);
  return E.right({
    composition: {
      ...composition,
      duration: timed.duration ?? longestDuration(withoutGrouped(composition), options),
      layers: composition.layers.map((layer, index) => ({ ...layer, start: starts[index] ?? 0 })),
    },
    is_longest,
  });
};

const finalOf = (
  document: ProjectDocument,
  composition: PlainComposition,
  fetched: readonly FinalAsset[],
  awaits_picture: boolean,
): FinalComposition => {
  const { id, width, height, fps, duration, background, parents, paths } = composition;
  const rounded = roundsTimes(document)
    ? composition.layers.map((layer) => withRoundedTimes(layer, fps))
    : composition.layers;
  const { layers, groups } = finalLayers(placeInGroups(rounded, parents, composition), paths);
  const used = new Set(layers.flatMap((layer) => ('asset' in layer ? [layer.asset] : [])));
  const families = new Set(layers.flatMap((layer) => (layer.type === 'text' ? [layer.font_family] : [])));
  const remote = fetched.filter((asset) => used.has(asset.id));
  const with_all_fonts =
    document.engine >= SVG_FONTS_SINCE &&
    (awaits_picture || [...document.assets.filter((asset) => used.has(asset.id)), ...remote].some(maybeSvg));
  const frames = framesOf(duration, fps);
  return {
    engine: drawingVersionOf(layers),
    composition: {
      ...{ id, width, height, fps, duration, background },
      ...(groups === undefined ? {} : { groups }),
      layers: layers.map(withTransformedText),
    },
    assets: [
      ...document.assets
        .filter((asset) =>
          asset.kind === 'font'
            ? asset.font_family !== null && (with_all_fonts || families.has(asset.font_family))
            : used.has(asset.id),
        )
        .map(({ id, kind, sha256, content_type, font_family }) => ({
          ...{ id, kind, sha256, content_type, font_family },
          of_render: false,
        })),
      ...remote,
    ],
    variants: variantsOf(composition, document),
    preview: document.preview === null ? null : previewOf(document.preview, composition),
    poster_frame: Math.min(
      frames - 1,
      frameAt(snapToFrame(document, composition.poster_time ?? duration / 4, fps), fps),
    ),
  };
};

export type Composed = {
  readonly final: FinalComposition;
  readonly is_longest: boolean;
  readonly times: readonly ShownTimes[];
};

/**
 * The composition of a template with the given values; the main composition if `template_id` is null. Omitted values
 * have their defaults. Unknown keys are ignored.
 *
 * @param fetched the media at the values' URLs; with `to_be_fetched` only the form of the URLs is checked, and their
 * layers stay unchanged
 */
export const compose = (
  document: ProjectDocument,
  template_id: string | null,
  values: Values,
  fetched: FetchedMedia = NO_FETCHED_MEDIA,
  lengths: ValueLengths = NO_LENGTHS,
): E.Either<CompositionFault, Composed> => {
  const template = document.templates.find(({ id }) => id === template_id);
  if (template_id !== null && template === undefined)
    return E.left({ code: 'unknown_template', message: `the project has no template "${template_id}"` });
  const composition_id = template?.target_composition_id ?? document.main_composition_id;
  const written = document.compositions.find(({ id }) => id === composition_id);
  if (written === undefined)
    return E.left({ code: 'unknown_composition', message: `the project has no composition "${composition_id}"` });
  const flat = flatComposition(written);
  const applied =
    template === undefined
      ? E.mapLeft((found: readonly Fault[]) => outOfBounds(found, [], flat, {}))(applyDefaults(document, flat))
      : E.mapLeft(invalidValues)(applyValues(document, flat, template, values, fetched));
  if (E.isLeft(applied)) return applied;
  const shown = {
    ...applied.right,
    layers: withoutHiddenTransitions(withHiddenGroups(applied.right.layers, flat.parents)),
  };
  const options = {
    lengthOf: lengthOfLayers(document, template_id, values, lengths),
    rounds: roundsTimes(document),
  };
  const resolved = resolveTimes(shown, options, fetched !== 'to_be_fetched');
  if (E.isLeft(resolved)) return E.left(outOfBounds(resolved.left, template?.fields ?? [], shown, values));
  const { composition, is_longest } = resolved.right;
  const awaits_picture =
    fetched === 'to_be_fetched' && remoteMediaOf(document, template_id, values).some(({ kind }) => kind === 'image');
  return E.right({
    final: finalOf(document, composition, fetchedAssets(fetched), awaits_picture),
    is_longest,
    times: shownTimes({ ...withoutGrouped(shown), fps: shown.fps, duration: composition.duration }, options),
  });
};

/** As `compose`: only the final composition. */
export const composeFinal = (...parameters: Parameters<typeof compose>): E.Either<CompositionFault, FinalComposition> =>
  E.map(({ final }: Composed) => final)(compose(...parameters));
