import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Shape } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import type { PlacedInGroups } from './flat-layers.ts';
import { FINAL_MEMBERS, type LayerGroup } from './layer-groups.ts';
import { Layer } from './layers.ts';

const FinalMembers = strictObject(FINAL_MEMBERS);

/** A layer of a final composition. It is visible or not, without a condition, and may name its group. */
export const FinalLayer = new Shape<Layer>(
  Layer.name,
  (u): u is Layer => E.isRight(FinalLayer.decode(u)),
  (u, context) => {
    if (!t.UnknownRecord.is(u)) return t.failure(u, context);
    const { group, path, ...rest } = u;
    const layer = Layer.validate(rest, context);
    const members = FinalMembers.validate(
      { ...(group === undefined ? {} : { group }), ...(path === undefined ? {} : { path }) },
      context,
    );
    if (E.isLeft(layer)) return layer;
    if (E.isLeft(members)) return members;
    return typeof layer.right.visible === 'boolean'
      ? t.success({ ...layer.right, ...members.right })
      : t.failure(u, context, 'must be visible or not, without a condition');
  },
  Layer.schema,
);

const drawnLayer = ({ groups, ...layer }: Exclude<PlacedInGroups, { type: 'group' }>, path: string, index: number) => ({
  ...layer,
  ...(groups === undefined ? {} : { group: groups.at(-1)?.id ?? '' }),
  ...(path === `layers[${index}]` ? {} : { path }),
});

const isDrawn = (layer: PlacedInGroups): layer is Exclude<PlacedInGroups, { type: 'group' }> => layer.type !== 'group';

/**
 * The layers and groups of a final composition. The groups that have layers are a table, because each may have many
 * layers and keyframes.
 *
 * @param paths of the layers in the document
 */
export const finalLayers = (
  placed: readonly PlacedInGroups[],
  paths: readonly string[],
): { readonly layers: readonly Layer[]; readonly groups?: readonly LayerGroup[] } => {
  const drawn = placed.flatMap((layer, index) => (isDrawn(layer) ? [{ layer, path: paths[index] ?? '' }] : []));
  const groups = new Map(drawn.flatMap(({ layer }) => (layer.groups ?? []).map((group) => [group.id, group] as const)));
  return {
    layers: drawn.map(({ layer, path }, index) => drawnLayer(layer, path, index)),
    ...(groups.size === 0 ? {} : { groups: [...groups.values()] }),
  };
};
