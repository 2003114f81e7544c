import type * as t from 'io-ts';
import { listOf, number, optional, orNull, text } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { Keyframes } from './keyframes.ts';
import { LIMITS } from './limits.ts';
import { LocalId } from './names.ts';

const seconds = number({ min: 0, max: LIMITS.duration_s });
const side = number({ above: 0, max: 2 * LIMITS.side });
const place = number({ min: -2 * LIMITS.side, max: 2 * LIMITS.side });
const factor = number({ min: 0, max: 1 });

/**
 * A group in a final composition, with times and places of the composition. A null `duration` reaches to the
 * composition's end. The `group` is the one around it.
 */
export const LayerGroup = strictObject({
  id: LocalId,
  group: optional(LocalId),
  start: seconds,
  duration: orNull(number({ above: 0, max: LIMITS.duration_s })),
  x: place,
  y: place,
  width: side,
  height: side,
  opacity: factor,
  fade_in: seconds,
  fade_out: seconds,
  keyframes: Keyframes,
});
export type LayerGroup = t.TypeOf<typeof LayerGroup>;

/** Optional, so that a final composition without groups is the same as before. */
export const LayerGroups = optional(listOf(LayerGroup, { max: LIMITS.layers }));

/** The members of final layers that older engines do not know. */
export const FINAL_MEMBERS = {
  /** The innermost group of the layer. */
  group: optional(LocalId),
  /** The layer's place in its document, if it is not that in the list. */
  path: optional(text({ min: 1, max: 200 })),
};

/** The groups around a layer, the outermost first. They are not part of documents and final compositions. */
export type Grouped = {
  readonly groups?: readonly LayerGroup[];
  readonly group?: string | undefined;
  readonly path?: string | undefined;
};

/** Layers with the groups around them, which a final composition has in a table of its own. */
export const withGroups = <L extends Grouped>(
  layers: readonly L[],
  table: readonly LayerGroup[] | undefined,
): readonly L[] => {
  if (table === undefined) return layers;
  const by_id = new Map(table.map((group) => [group.id, group] as const));
  const chainOf = (id: string | undefined): readonly LayerGroup[] => {
    const chain: LayerGroup[] = [];
    let next = id === undefined ? undefined : by_id.get(id);
    // The bound ends a loop in a damaged table.
    while (next !== undefined && chain.length < LIMITS.group_levels) {
      chain.unshift(next);
      next = next.group === undefined ? undefined : by_id.get(next.group);
    }
    return chain;
  };
  return layers.map((layer) => (layer.group === undefined ? layer : { ...layer, groups: chainOf(layer.group) }));
};

export const isMoving = ({ keyframes }: Pick<LayerGroup, 'keyframes'>): boolean =>
  keyframes.position.length + keyframes.scale.length > 0;

/** True if the group needs a picture of its own, to be mixed with the picture below it. */
export const isMixed = ({
  opacity,
  fade_in,
  fade_out,
  keyframes,
}: Pick<LayerGroup, 'opacity' | 'fade_in' | 'fade_out' | 'keyframes'>): boolean =>
  fade_in > 0 || fade_out > 0 || (keyframes.opacity.length === 0 ? opacity < 1 : true);

/** The product of the largest scales of the groups. */
export const largestGroupScale = ({ groups = [] }: Grouped): number =>
  groups.reduce(
    (scale, { keyframes }) =>
      keyframes.scale.length === 0 ? scale : scale * Math.max(...keyframes.scale.map(({ value }) => value)),
    1,
  );

/** The layer's place in its document. */
export const fieldOf = (layer: Pick<Grouped, 'path'> | undefined, index: number): string =>
  layer?.path ?? `layers[${index}]`;
