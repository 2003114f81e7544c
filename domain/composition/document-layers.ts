import * as t from 'io-ts';
import { discriminatedUnion, type JsonSchema } from '../shape/json-schema.ts';
import { listOf, Shape, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { Group, Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import { Start, WRITTEN_SCHEMAS, type WrittenGroup, WrittenLayer } from './written-layers.ts';

/** A group as a document has it, with its own layers. */
export type GroupLayer = WrittenGroup & { readonly layers: readonly DocumentLayer[] };

export type DocumentLayer = WrittenLayer | GroupLayer;

/** The place of the schema of a layer in that of a project. Groups refer to it, because they nest. */
const LAYER_SCHEMA: JsonSchema = { $ref: '#/properties/compositions/items/properties/layers/items' };

const isGroup = (u: unknown): boolean => typeof u === 'object' && u !== null && 'type' in u && u.type === 'group';

/** Only layers that are in no group can begin after others. */
const LayerInGroup = new Shape<DocumentLayer>(
  Layer.name,
  (u): u is DocumentLayer => Layer.is(u),
  (u, context) => Layer.validate(u, context),
  Layer.schema,
);

const inGroups = (levels: number): Shape<DocumentLayer> => {
  const refused = `is in ${LIMITS.group_levels} groups, the most that can nest`;
  const group = levels < LIMITS.group_levels ? groupIn(levels) : null;
  const plain = levels === 0 ? WrittenLayer : LayerInGroup;
  return new Shape<DocumentLayer>(
    'a layer',
    (u): u is DocumentLayer => (isGroup(u) ? group?.is(u) === true : plain.is(u)),
    (u, context) => {
      if (!isGroup(u)) return plain.validate(u, context);
      return group === null ? t.failure(u, context, refused) : group.validate(u, context);
    },
    levels > 0 || group === null
      ? LAYER_SCHEMA
      : discriminatedUnion('type', {
          ...WRITTEN_SCHEMAS,
          group: group.schema,
        }),
  );
};

const groupIn = (levels: number) =>
  strictObject({
    ...Group.members,
    start: levels === 0 ? withDefault(Start, 0) : Group.members.start,
    layers: listOf(inGroups(levels + 1), { max: LIMITS.layers }),
  });

export const DocumentLayer = inGroups(0);
