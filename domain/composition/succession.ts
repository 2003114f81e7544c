import type { Fault } from './fault.ts';
import type { Layer } from './layers.ts';
import type { LayerSketch } from './sketch.ts';

/*
 * What transitions ask of the layers that they lie between. A layer that is hidden takes nobody's place.
 */

/** A millionth of a second is forgiven: 0.1 + 0.2. */
const isAfter = (one_s: number, other_s: number): boolean => one_s > other_s + 1e-6;

const isHidden = ({ visible }: LayerSketch): boolean => visible === false;

/** Whether going back from layer to layer leads to the first of them again. */
const isCircular = (layer: LayerSketch, layers: readonly LayerSketch[]): boolean => {
  let before: LayerSketch | undefined = layer;
  for (const _ of layers) {
    const from: string | undefined = before?.transition?.from;
    before = from === undefined ? undefined : layers.find(({ id }) => id === from);
    if (before === undefined || before === layer) break;
  }
  return before === layer;
};

const orderFault = (before: LayerSketch, before_start: number, start: number): string | null => {
  if (isAfter(before_start, start)) return 'begins after this layer does';
  const coming_in = isHidden(before) ? 0 : (before.transition?.duration ?? 0);
  return isAfter(before_start + coming_in, start) ? 'is still coming in itself when this layer begins' : null;
};

const timeFaults = (layer: LayerSketch, before: LayerSketch, at: string): readonly Fault[] => {
  const { start, duration: shown, transition } = layer;
  const length = transition?.duration;
  const order = start === undefined || before.start === undefined ? null : orderFault(before, before.start, start);
  return [
    ...(order === null ? [] : [{ path: `${at}.from`, message: `"${before.id}" ${order}` }]),
    ...(length !== undefined && typeof shown === 'number' && isAfter(length, shown)
      ? [{ path: `${at}.duration`, message: "must be at most the layer's duration" }]
      : []),
  ];
};

const faultsOf = (layer: LayerSketch, index: number, layers: readonly LayerSketch[], at: string): readonly Fault[] => {
  const from = layer.transition?.from;
  if (from === undefined) return [];
  const fault = (message: string) => [{ path: `${at}.from`, message }];
  if (from === layer.id) return fault('must be another layer');
  const before = layers.find(({ id }) => id === from);
  if (before === undefined) return fault(`there is no layer "${from}"`);
  if (before.type === 'audio') return fault(`"${from}" is a sound, which is not seen`);
  if (isCircular(layer, layers)) return fault('must not lead back to this layer');
  const first = layers.findIndex((other) => !isHidden(other) && other.transition?.from === from);
  if (!isHidden(layer) && first !== -1 && first < index)
    return fault(`another layer takes the place of "${from}" already`);
  return timeFaults(layer, before, at);
};

/** @param path of the composition, as `compositions[0].` */
export const successionFaults = (layers: readonly LayerSketch[], path: string): readonly Fault[] =>
  layers.flatMap((layer, index) => faultsOf(layer, index, layers, `${path}layers[${index}].transition`));

/** Of a project, not of a render, whose values may hide the layer: then there is no transition. */
export const hiddenFaults = (layers: readonly LayerSketch[], path: string): readonly Fault[] =>
  layers.flatMap((layer, index) => {
    const from = layer.transition?.from;
    const before = layers.find(({ id }) => id !== undefined && id === from);
    return before !== undefined && isHidden(before) && !isHidden(layer)
      ? [{ path: `${path}layers[${index}].transition.from`, message: `"${from}" is not visible` }]
      : [];
  });

/** Layers as they are drawn: a transition of or from a layer that is hidden does not take place. */
export const withoutIdleTransitions = (layers: readonly Layer[]): readonly Layer[] => {
  const shown = new Set(layers.flatMap(({ id, visible }) => (visible ? [id] : [])));
  return layers.map((layer) =>
    layer.type === 'audio' || layer.transition === null || (layer.visible && shown.has(layer.transition.from))
      ? layer
      : { ...layer, transition: null },
  );
};
