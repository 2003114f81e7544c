import { evenSide, type FinalComposition, type FinalVariant } from './final-composition.ts';
import type { Keyframes } from './keyframes.ts';
import type { LayerGroup } from './layer-groups.ts';
import type { Layer, PlacedLayer, TextLayer } from './layers.ts';
import { CRF } from './video-codecs.ts';

/** Drafts of any aspect ratio have about the pixels of 640 × 360, so that drafts cost about the same. */
const DRAFT_PIXELS = 640 * 360;
const MIN_FONT_SIZE = 1;

type Factor = { readonly x: number; readonly y: number };

const scaled = (length: number | null, factor: number): number | null => (length === null ? null : length * factor);

const scaledKeyframes = (keyframes: Keyframes, { x, y }: Factor): Keyframes => ({
  ...keyframes,
  position: keyframes.position.map((keyframe) => ({ ...keyframe, x: keyframe.x * x, y: keyframe.y * y })),
});

const scaledBox = (layer: PlacedLayer, factor: Factor) => ({
  x: layer.x * factor.x,
  y: layer.y * factor.y,
  width: scaled(layer.width, factor.x),
  height: scaled(layer.height, factor.y),
  keyframes: scaledKeyframes(layer.keyframes, factor),
});

/** Text uses the smaller factor, because letters keep their shape. */
const scaledText = (layer: TextLayer, factor: number) => ({
  font_size: Math.max(MIN_FONT_SIZE, layer.font_size * factor),
  background_radius: layer.background_radius * factor,
  padding: layer.padding * factor,
  outline_width: layer.outline_width * factor,
  shadow_x: layer.shadow_x * factor,
  shadow_y: layer.shadow_y * factor,
  shadow_blur: layer.shadow_blur * factor,
  ...(layer.letter_spacing === undefined ? {} : { letter_spacing: layer.letter_spacing * factor }),
});

const LENGTHS = ['border_radius', 'blur', 'shadow_x', 'shadow_y', 'shadow_blur'] as const;

/** The optional lengths that the layer has. */
const scaledLengths = (layer: PlacedLayer, factor: number) => {
  const given: { readonly [name in (typeof LENGTHS)[number]]?: number | undefined } = layer;
  return Object.fromEntries(
    LENGTHS.flatMap((name) => {
      const length = given[name];
      return length === undefined ? [] : [[name, length * factor]];
    }),
  );
};

const scaledGroup = (group: LayerGroup, { x, y }: Factor): LayerGroup => ({
  ...group,
  x: group.x * x,
  y: group.y * y,
  width: group.width * x,
  height: group.height * y,
  keyframes: scaledKeyframes(group.keyframes, { x, y }),
});

const scaledLayer = (layer: Layer, factor: Factor): Layer => {
  const both = Math.min(factor.x, factor.y);
  switch (layer.type) {
    case 'audio':
      return layer;
    case 'text':
      return { ...layer, ...scaledBox(layer, factor), ...scaledText(layer, both), ...scaledLengths(layer, both) };
    case 'shape':
      return { ...layer, ...scaledBox(layer, factor), radius: layer.radius * both, ...scaledLengths(layer, both) };
    default:
      return { ...layer, ...scaledBox(layer, factor), ...scaledLengths(layer, both) };
  }
};

/**
 * The draft is the same video as H.264, without variants and preview. A larger video is scaled down to the pixel count
 * of 640 × 360. The engine lays out text at that size, so lines may break at other words.
 */
export const draftOf = (final: FinalComposition): FinalComposition => {
  const { composition } = final;
  const factor = Math.min(1, Math.sqrt(DRAFT_PIXELS / (composition.width * composition.height)));
  const size =
    factor === 1
      ? { width: composition.width, height: composition.height }
      : { width: evenSide(composition.width * factor), height: evenSide(composition.height * factor) };
  const by: Factor = { x: size.width / composition.width, y: size.height / composition.height };
  const master: FinalVariant = { name: 'master', ...size, codec: 'h264', quality: 'draft', crf: CRF.h264.standard };
  return {
    ...final,
    composition: {
      ...composition,
      ...size,
      ...(composition.groups === undefined
        ? {}
        : { groups: composition.groups.map((group) => scaledGroup(group, by)) }),
      layers: composition.layers.map((layer) => scaledLayer(layer, by)),
    },
    variants: [master],
    preview: null,
  };
};
