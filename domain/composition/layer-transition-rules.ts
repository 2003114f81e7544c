import { didYouMean } from '../near-name.ts';
import type { Fault } from './fault.ts';
import type { FlatLayer } from './flat-layers.ts';
import type { TimedLayer } from './layer-times.ts';
import type { LenientLayer } from './lenient-decode.ts';

/*
 * The rules for a transition and the two layers that it connects. A hidden layer replaces no other layer. A layer whose
 * visibility depends on a value counts as hidden until the value is known.
 */

/** Tolerates one microsecond, because of sums like 0.1 + 0.2. */
const isAfter = (one_s: number, other_s: number): boolean => one_s > other_s + 1e-6;

const isHidden = ({ visible }: LenientLayer): boolean => visible !== undefined && visible !== true;

const isCircular = (layer: LenientLayer, layers: readonly LenientLayer[]): boolean => {
  let before: LenientLayer | undefined = layer;
  for (const _ of layers) {
    const from: string | undefined = before?.transition?.from;
    before = from === undefined ? undefined : layers.find(({ id }) => id === from);
    if (before === undefined || before === layer) break;
  }
  return before === layer;
};

const orderFault = (before: TimedLayer, before_start: number, start: number): string | null => {
  if (isAfter(before_start, start)) return 'begins after this layer';
  const coming_in = isHidden(before) ? 0 : (before.transition?.duration ?? 0);
  return isAfter(before_start + coming_in, start) ? 'is still in its own transition when this layer begins' : null;
};

const timeFaults = (layer: TimedLayer, before: TimedLayer, at: string): readonly Fault[] => {
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

const faultsOf = (layer: TimedLayer, index: number, layers: readonly TimedLayer[], at: string): readonly Fault[] => {
  const from = layer.transition?.from;
  if (from === undefined) return [];
  const fault = (message: string) => [{ path: `${at}.from`, message }];
  if (from === layer.id) return fault('must be another layer');
  const before = layers.find(({ id }) => id === from);
  if (before === undefined) {
    const others = layers.flatMap(({ id }) => (id === undefined || id === layer.id ? [] : [id]));
    return fault(`there is no layer "${from}"${didYouMean(from, others)}`);
  }
  if (before.type === 'audio') return fault(`"${from}" is an audio layer, which is not visible`);
  if (before.type === 'group') return fault(`"${from}" is a group; name a layer`);
  if (before.groups?.at(-1)?.id !== layer.groups?.at(-1)?.id) return fault(`"${from}" is not in the same group`);
  if (isCircular(layer, layers)) return fault('must not lead back to this layer');
  const first = layers.findIndex((other) => !isHidden(other) && other.transition?.from === from);
  if (!isHidden(layer) && first !== -1 && first < index) return fault(`another layer already replaces "${from}"`);
  return timeFaults(layer, before, at);
};

export const layerTransitionFaults = (layers: readonly TimedLayer[], path: string): readonly Fault[] =>
  layers.flatMap((layer, index) => faultsOf(layer, index, layers, `${path}layers[${index}].transition`));

/**
 * Faults of transitions from a hidden layer. Only projects have them: if a render's value hides the layer, the
 * transition is dropped.
 */
export const hiddenTransitionFaults = (layers: readonly LenientLayer[], path: string): readonly Fault[] =>
  layers.flatMap((layer, index) => {
    const from = layer.transition?.from;
    const before = layers.find(({ id }) => id !== undefined && id === from);
    return before?.visible === false && layer.visible !== false
      ? [{ path: `${path}layers[${index}].transition.from`, message: `"${from}" is not visible` }]
      : [];
  });

/** Drops a transition if its own layer or the layer that it replaces is hidden. */
export const withoutHiddenTransitions = <L extends FlatLayer>(layers: readonly L[]): readonly L[] => {
  const shown = new Set(layers.flatMap(({ id, visible }) => (visible ? [id] : [])));
  return layers.map((layer) =>
    layer.type === 'audio' ||
    layer.type === 'group' ||
    layer.transition === null ||
    (layer.visible && shown.has(layer.transition.from))
      ? layer
      : { ...layer, transition: null },
  );
};
