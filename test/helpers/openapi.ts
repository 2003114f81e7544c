import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { OPENAPI } from '../../schemas/http/public/document.ts';

/** A path within the document: `['components', 'schemas', 'Render']`. */
type JsonPath = readonly string[];

type Document = {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Sets `additionalProperties: false` in every object that lists its members. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' && isObject(schema.properties)
    ? { additionalProperties: false, ...members }
    : members;
};

export type OpenApi = {
  /** @returns the faults of a value under the schema at this place, including unlisted members; empty if valid */
  readonly faultsUnder: (place: JsonPath, value: unknown) => readonly string[];
  readonly resolved: (place: JsonPath) => { readonly place: JsonPath; readonly value: unknown };
  readonly membersOf: (place: JsonPath) => readonly string[];
};

/**
 * Clients must accept members that a document does not list, but the service must not send any.
 * @param asked names of the schemas of requests, which may have unlisted members
 */
export const openApiOf = (document: Document, asked: readonly string[]): OpenApi => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) });
  // Members of an OpenAPI document that are not JSON Schema.
  ajv.addVocabulary(Object.keys(document));
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      asked.includes(name) ? schema : closed(schema),
    ]),
  );
  const components = { ...document.components, schemas };
  ajv.addSchema({ $id: 'openapi.json', ...document, components }, undefined, false, false);

  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (place: JsonPath): ValidateFunction => {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi.json#/${pointer}` });
    compiled.set(pointer, known);
    return known;
  };

  const resolve: OpenApi['resolved'] = (place) => {
    const value = place.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), document);
    if (isObject(value) && typeof value.$ref === 'string') return resolve(value.$ref.replace('#/', '').split('/'));
    return { place, value };
  };

  return {
    faultsUnder: (place, value) => {
      const validate = validatorAt(place);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({ instancePath, message, params }) => {
        return `${instancePath === '' ? 'the value' : instancePath} ${message} ${JSON.stringify(params)}`;
      });
    },
    resolved: resolve,
    membersOf: (place) => {
      const { value } = resolve(place);
      return isObject(value) ? Object.keys(value) : [];
    },
  };
};

/** Bodies of requests, which may have unlisted members. */
export const REQUESTS: readonly string[] = [
  ...['RenderRequest', 'ProjectDocument', 'ProjectRequest', 'VersionRequest'],
  ...['ProjectRenameRequest', 'ProjectCopyRequest', 'ProjectCheckRequest'],
];

export const { faultsUnder, resolved, membersOf } = openApiOf(OPENAPI, REQUESTS);
