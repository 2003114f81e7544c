import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { AssetKind } from './assets.ts';
import { boundFaults } from './bounds.ts';
import { type Fault, faultsOf, faultText } from './fault.ts';
import { FrameRate, frameAt, framesOf } from './frame-rate.ts';
import { Color, Layer, LocalId } from './layers.ts';
import { LIMITS } from './limits.ts';
import type { ProjectDocument, Variant } from './project-shape.ts';
import { closed, listOf, number, text } from './shapes.ts';
import { CompositionId } from './templates.ts';
import { applyValues, type ValueFault, type Values } from './values.ts';

const wholeSide = number({ min: 2, max: LIMITS.side, whole: true });

/** One encode that a render makes: `master` first, of the composition's size, then smaller ones. */
export const FinalVariant = closed({
  name: text({ min: 1, max: 32 }),
  width: wholeSide,
  height: wholeSide,
  crf: number({ min: 1, max: 51, whole: true }),
});
export type FinalVariant = t.TypeOf<typeof FinalVariant>;

export const FinalAsset = closed({
  id: LocalId,
  kind: AssetKind,
  sha256: text({ min: 64, max: 64 }),
  content_type: text({ min: 1, max: 200 }),
});
export type FinalAsset = t.TypeOf<typeof FinalAsset>;

/**
 * The private copy of one render: all that the engine needs but the bytes of the assets. `engine` is the version of the
 * rules by which it is drawn; `poster_frame` counts from 0.
 */
export const FinalComposition = closed({
  engine: new t.Type<1, 1, unknown>(
    '1',
    (u): u is 1 => u === 1,
    (u, context) => (u === 1 ? t.success(1) : t.failure(u, context)),
    t.identity,
  ),
  composition: closed({
    id: CompositionId,
    width: wholeSide,
    height: wholeSide,
    fps: FrameRate,
    duration: number({ above: 0, max: LIMITS.duration_s }),
    background: Color,
    layers: listOf(Layer, { max: LIMITS.layers }),
  }),
  assets: listOf(FinalAsset, { max: LIMITS.assets }),
  variants: listOf(FinalVariant, { min: 1, max: LIMITS.variants + 1 }),
  poster_frame: number({ min: 0, whole: true }),
});
export type FinalComposition = t.TypeOf<typeof FinalComposition>;

export const decodeFinalComposition = (json: unknown): E.Either<readonly Fault[], FinalComposition> =>
  pipe(FinalComposition.decode(json), E.mapLeft(faultsOf));

/** Why no final composition can be made; `field` names the value at fault, like `values.price`, never what it holds. */
export type CompositionFault = {
  readonly code: 'unknown_template' | 'unknown_composition' | 'invalid_values' | 'out_of_bounds';
  readonly message: string;
  readonly field?: string;
};

/** Where a variant says nothing, and of the master. */
const CRF = 20;

const even = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

const variantsOf = (
  composition: { readonly width: number; readonly height: number },
  variants: readonly Variant[],
): readonly FinalVariant[] => [
  { name: 'master', width: composition.width, height: composition.height, crf: CRF },
  ...variants
    .filter(({ height }) => height < composition.height)
    .map(({ name, height, crf }) => ({
      name,
      width: even((composition.width * height) / composition.height),
      height,
      crf: crf ?? CRF,
    })),
];

const invalidValues = (faults: readonly ValueFault[]): CompositionFault => {
  const first = faults[0];
  const message = faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return first === undefined
    ? { code: 'invalid_values', message }
    : { code: 'invalid_values', message, field: first.field };
};

/**
 * What a render of this version of the project draws: the template's composition with the values in place (omitted
 * ones at their defaults, unknown keys ignored), or the main composition as it stands where `template_id` is null.
 */
export const compose = (
  document: ProjectDocument,
  template_id: string | null,
  values: Values,
): E.Either<CompositionFault, FinalComposition> => {
  const template = document.templates.find(({ id }) => id === template_id);
  if (template_id !== null && template === undefined)
    return E.left({ code: 'unknown_template', message: `the project has no template "${template_id}"` });
  const composition_id = template?.target_composition_id ?? document.main_composition_id;
  const composition = document.compositions.find(({ id }) => id === composition_id);
  if (composition === undefined)
    return E.left({ code: 'unknown_composition', message: `the project has no composition "${composition_id}"` });
  const applied = template === undefined ? E.right(composition.layers) : applyValues(document, template, values);
  if (E.isLeft(applied)) return E.left(invalidValues(applied.left));
  const layers = applied.right;
  const faults = boundFaults({ ...composition, layers }, '');
  if (faults.length > 0) return E.left({ code: 'out_of_bounds', message: faults.map(faultText).join('; ') });

  const used = new Set(layers.flatMap((layer) => ('asset' in layer ? [layer.asset] : [])));
  const { id, width, height, fps, duration, background } = composition;
  const frames = framesOf(duration, fps);
  return E.right({
    engine: 1,
    composition: { id, width, height, fps, duration, background, layers },
    assets: document.assets
      .filter((asset) => used.has(asset.id))
      .map(({ id, kind, sha256, content_type }) => ({ id, kind, sha256, content_type })),
    variants: variantsOf(composition, document.variants),
    poster_frame: Math.min(frames - 1, frameAt(composition.poster_time ?? duration / 4, fps)),
  });
};
