import type { JsonSchema } from '../shape/json-schema.ts';
import type { FlatLayer } from './flat-layers.ts';
import { type FontAsset, fontFamiliesOf } from './font-families.ts';
import { KEYFRAME_CODECS, keyframeMember } from './keyframes.ts';
import { FLAT_CODECS } from './layers.ts';
import { LIMITS } from './limits.ts';
import { Composition } from './project-shape.ts';
import { type FieldTarget, type TemplateField, targetsOf } from './templates.ts';

/** Limits that an editor can state before the service checks a value. A member is null if the property has no such limit. */
export type FieldLimits = {
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly whole: boolean;
  readonly max_length: number | null;
  readonly options: readonly string[] | null;
};

export const NO_LIMITS: FieldLimits = { minimum: null, maximum: null, whole: false, max_length: null, options: null };

const membersOf = (schema: JsonSchema | undefined): readonly JsonSchema[] => {
  if (schema === undefined) return [];
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? anyOf.flatMap((one) => membersOf(Object(one))) : [schema];
};

const numberIn = (schemas: readonly JsonSchema[], ...keywords: readonly string[]): number | null =>
  schemas.flatMap((schema) => keywords.map((keyword) => schema[keyword])).find((value) => typeof value === 'number') ??
  null;

const isWhole = ({ type }: JsonSchema): boolean =>
  Array.isArray(type) ? type.includes('integer') : type === 'integer';

type Schemas = Readonly<Record<string, { readonly schema: JsonSchema }>>;

const schemaOf = (layer: FlatLayer, property: string): JsonSchema | undefined => {
  const of_keyframe = keyframeMember(property);
  if (of_keyframe !== null) {
    const members: Schemas = KEYFRAME_CODECS[of_keyframe.list].members;
    return members[of_keyframe.member]?.schema;
  }
  const [name = '', inner] = property.split('.');
  const members: Schemas = FLAT_CODECS[layer.type].members;
  const schema = Object.hasOwn(members, name) ? members[name]?.schema : undefined;
  if (inner === undefined) return schema;
  return membersOf(schema)
    .map(({ properties }) => Object(properties)[inner])
    .find((one) => one !== undefined);
};

type OwnLimits = Pick<TemplateField, 'kind' | 'target' | 'targets' | 'min' | 'max' | 'max_length' | 'choices'>;

/** The limits of one driven property. A limit that excludes its own value is given as that value. */
const propertyLimits = (
  layers: readonly FlatLayer[],
  assets: readonly FontAsset[],
  { layer: layer_id, property }: FieldTarget,
): FieldLimits => {
  const layer = layers.find(({ id }) => id === layer_id);
  const of_composition: Schemas = Composition.members;
  if (layer === undefined && layer_id !== undefined) return NO_LIMITS;
  if (layer?.type === 'text' && property === 'font_family') return { ...NO_LIMITS, options: fontFamiliesOf(assets) };
  const schemas = membersOf(layer === undefined ? of_composition[property]?.schema : schemaOf(layer, property));
  const options = schemas.flatMap((schema) => (Array.isArray(schema.enum) ? schema.enum : []));
  return {
    minimum: numberIn(schemas, 'minimum', 'exclusiveMinimum'),
    maximum: numberIn(schemas, 'maximum'),
    whole: schemas.some(isWhole),
    max_length: numberIn(schemas, 'maxLength'),
    options: options.length === 0 ? null : options.filter((one) => typeof one === 'string'),
  };
};

const strictest = (
  one: number | null,
  other: number | null,
  ofBoth: (a: number, b: number) => number,
): number | null => (one === null || other === null ? (one ?? other) : ofBoth(one, other));

const both = (one: FieldLimits, other: FieldLimits): FieldLimits => ({
  minimum: strictest(one.minimum, other.minimum, Math.max),
  maximum: strictest(one.maximum, other.maximum, Math.min),
  whole: one.whole || other.whole,
  max_length: strictest(one.max_length, other.max_length, Math.min),
  options:
    one.options === null || other.options === null
      ? (one.options ?? other.options)
      : one.options.filter((option) => other.options?.includes(option)),
});

/** The limits of the field itself and of all properties that it drives. */
export const fieldLimits = (
  layers: readonly FlatLayer[],
  assets: readonly FontAsset[],
  field: OwnLimits,
): FieldLimits => {
  const { kind, min = null, max = null, max_length = null, choices = null } = field;
  const own: FieldLimits = { minimum: min, maximum: max, whole: false, max_length, options: choices };
  if (kind !== 'number' && kind !== 'text') return own;
  const targets = targetsOf(field);
  // A field without targets is part of a text.
  if (targets.length === 0 && kind === 'text') return { ...own, max_length: max_length ?? LIMITS.text };
  return targets.map((target) => propertyLimits(layers, assets, target)).reduce(both, own);
};
