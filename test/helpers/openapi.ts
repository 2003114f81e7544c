import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { OPENAPI } from '../../schemas/http/openapi/document.ts';

/** Where something stands in the document: `['components', 'schemas', 'Render']`. */
type JsonPath = readonly string[];

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) });
// What an OpenAPI document holds beside its schemas.
ajv.addVocabulary(Object.keys(OPENAPI));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** With `additionalProperties: false` in every object that lists its members. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' && isObject(schema.properties)
    ? { additionalProperties: false, ...members }
    : members;
};

// Clients must expect more than the document lists, so that members can be added; the service sends nothing more. What
// is a request may hold more.
const { RenderRequest, ...answered } = OPENAPI.components.schemas;
const schemas = { ...Object(closed(answered)), RenderRequest };
const components = { ...OPENAPI.components, schemas };
ajv.addSchema({ $id: 'openapi.json', ...OPENAPI, components }, undefined, false, false);

const compiled = new Map<string, ValidateFunction>();

const validatorAt = (place: JsonPath): ValidateFunction => {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi.json#/${pointer}` });
  compiled.set(pointer, known);
  return known;
};

/**
 * @returns what is wrong with a value under the schema that stands there, members that it does not list included;
 *   nothing where it is valid
 */
export const faultsUnder = (place: JsonPath, value: unknown): readonly string[] => {
  const validate = validatorAt(place);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath === '' ? 'the value' : instancePath} ${message} ${JSON.stringify(params)}`;
  });
};

/** Follows a reference, if it is one. */
export const resolved = (place: JsonPath): { readonly place: JsonPath; readonly value: unknown } => {
  const value = place.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), OPENAPI);
  if (isObject(value) && typeof value.$ref === 'string') return resolved(value.$ref.replace('#/', '').split('/'));
  return { place, value };
};

/** The members of what stands there. */
export const membersOf = (place: JsonPath): readonly string[] => {
  const { value } = resolved(place);
  return isObject(value) ? Object.keys(value) : [];
};
