import type { DocumentLayer } from './document-layers.ts';
import type { Grouped, LayerGroup } from './layer-groups.ts';
import type { Group, Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import type { WrittenGroup, WrittenLayer } from './written-layers.ts';

/** `path` is like `layers[2].layers[0]`. The `parents` are indices in the flat list, the outermost first. */
export type Flat<L> = { readonly layer: L; readonly path: string; readonly parents: readonly number[] };

/** All layers in one list, in the order of drawing. A group comes before its own layers. */
export const flatten = <L>(layers: readonly L[], innerOf: (layer: L) => readonly L[]): readonly Flat<L>[] => {
  const found: Flat<L>[] = [];
  const add = (list: readonly L[], at: string, parents: readonly number[]): void => {
    for (const [index, layer] of list.entries()) {
      const path = `${at}[${index}]`;
      const own = found.length;
      found.push({ layer, path, parents });
      if (parents.length < LIMITS.group_levels) add(innerOf(layer), `${path}.layers`, [...parents, own]);
    }
  };
  add(layers, 'layers', []);
  return found;
};

/** A layer of a flat list. A group does not have its layers. */
export type FlatLayer = WrittenLayer | WrittenGroup;

/** A layer whose start is known. */
export type TimedFlatLayer = Layer | Group;

export type FlatLayers = readonly Flat<FlatLayer>[];

export const hasGroups = (flat: readonly Pick<Flat<unknown>, 'parents'>[]): boolean =>
  flat.some(({ parents }) => parents.length > 0);

const withoutLayers = (layer: DocumentLayer): FlatLayer => {
  if (layer.type !== 'group') return layer;
  const { layers: _, ...group } = layer;
  return group;
};

export const flatLayersOf = (layers: readonly DocumentLayer[]): FlatLayers =>
  flatten(layers, (layer) => (layer.type === 'group' ? layer.layers : [])).map((one) => ({
    ...one,
    layer: withoutLayers(one.layer),
  }));

export type Frame = { readonly width: number; readonly height: number };
type Box = Frame & { readonly x: number; readonly y: number };
export type PlacedInGroups = TimedFlatLayer & Grouped;

const placeIn = (
  layer: TimedFlatLayer,
  groups: readonly LayerGroup[],
  visible: FlatLayer['visible'],
): PlacedInGroups => {
  const parent = groups.at(-1);
  if (parent === undefined) return layer;
  const times = { visible, start: Math.min(LIMITS.duration_s, parent.start + layer.start), groups };
  if (layer.type === 'audio') return { ...layer, ...times };
  const { keyframes } = layer;
  return {
    ...layer,
    ...times,
    x: parent.x + layer.x,
    y: parent.y + layer.y,
    width: layer.width ?? parent.width - layer.x,
    height: layer.height ?? parent.height - layer.y,
    keyframes: {
      ...keyframes,
      position: keyframes.position.map((one) => ({ ...one, x: parent.x + one.x, y: parent.y + one.y })),
    },
  };
};

const groupOf = (group: Group, parent: LayerGroup | undefined, frame: Frame): LayerGroup => {
  const { id, start, duration, x, y, width, height, opacity, fade_in, fade_out, keyframes } = group;
  const box: Box = { x, y, width: width ?? frame.width - x, height: height ?? frame.height - y };
  return {
    ...{ id, start, duration, ...box, opacity, fade_in, fade_out, keyframes },
    ...(parent === undefined ? {} : { group: parent.id }),
  };
};

/**
 * The flat list with times and places of the composition. A layer that begins after the composition begins at the
 * largest time, so that it never shows.
 */
export const placeInGroups = (
  layers: readonly TimedFlatLayer[],
  parents: readonly (readonly number[])[],
  frame: Frame,
): readonly PlacedInGroups[] => {
  const groups = new Map<number, LayerGroup>();
  const placed: PlacedInGroups[] = [];
  for (const [index, layer] of layers.entries()) {
    const chain = (parents[index] ?? []).flatMap((parent) => groups.get(parent) ?? []);
    const around = placed[parents[index]?.at(-1) ?? -1];
    const one = placeIn(layer, chain, around?.visible === false ? false : layer.visible);
    placed.push(one);
    if (one.type === 'group') groups.set(index, groupOf(one, chain.at(-1), frame));
  }
  return placed;
};

/** The flat list in which the layers of hidden groups are hidden. */
export const withHiddenGroups = (
  layers: readonly FlatLayer[],
  parents: readonly (readonly number[])[],
): readonly FlatLayer[] =>
  layers.map((layer, index) =>
    (parents[index] ?? []).some((parent) => layers[parent]?.visible === false) ? { ...layer, visible: false } : layer,
  );
