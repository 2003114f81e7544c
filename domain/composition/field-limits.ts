import type { JsonSchema } from '../shape/json-schema.ts';
import { type FontAsset, fontFamiliesOf } from './font-families.ts';
import { LAYER_CODECS, type Layer } from './layers.ts';
import type { TemplateField } from './templates.ts';

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

const schemaOf = (layer: Layer, property: string): JsonSchema | undefined => {
  const [name = '', inner] = property.split('.');
  const members: Readonly<Record<string, { readonly schema: JsonSchema }>> = LAYER_CODECS[layer.type].members;
  const schema = Object.hasOwn(members, name) ? members[name]?.schema : undefined;
  if (inner === undefined) return schema;
  return membersOf(schema)
    .map(({ properties }) => Object(properties)[inner])
    .find((one) => one !== undefined);
};

/** The limits of the property that the field drives. A limit that excludes its own value is given as that value. */
export const fieldLimits = (
  layers: readonly Layer[],
  assets: readonly FontAsset[],
  { kind, target }: Pick<TemplateField, 'kind' | 'target'>,
): FieldLimits => {
  const layer = layers.find(({ id }) => id === target.layer);
  if (layer === undefined || (kind !== 'number' && kind !== 'text')) return NO_LIMITS;
  if (layer.type === 'text' && target.property === 'font_family')
    return { ...NO_LIMITS, options: fontFamiliesOf(assets) };
  const schemas = membersOf(schemaOf(layer, target.property));
  const options = schemas.flatMap((schema) => (Array.isArray(schema.enum) ? schema.enum : []));
  return {
    minimum: numberIn(schemas, 'minimum', 'exclusiveMinimum'),
    maximum: numberIn(schemas, 'maximum'),
    whole: schemas.some(isWhole),
    max_length: numberIn(schemas, 'maxLength'),
    options: options.length === 0 ? null : options.filter((one) => typeof one === 'string'),
  };
};
