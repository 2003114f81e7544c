import type { Step } from './place-of-path.ts';

/** The members of a JSON schema that the project schema uses. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly items?: JsonSchema;
  /** A place in the schema, like `#/properties/layers/items`. */
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
};

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value meets the condition of an `if`: required members, and members with a constant. */
const meets = ({ required = [], properties = {} }: JsonSchema, value: unknown): boolean =>
  isObject(value) &&
  required.every((name) => name in value) &&
  Object.entries(properties).every(
    ([name, { const: wanted, enum: words }]) =>
      !(name in value) ||
      ((wanted === undefined || value[name] === wanted) && (words === undefined || words.includes(value[name]))),
  );

/** The schema with all branches that hold for the value. */
const branchesOf = (schema: JsonSchema, value: unknown): readonly JsonSchema[] => {
  const { anyOf = [], allOf = [], if: condition, then: met, else: unmet } = schema;
  const branch = condition === undefined ? undefined : meets(condition, value) ? met : unmet;
  return [
    schema,
    ...[...anyOf, ...allOf, ...(branch === undefined ? [] : [branch])].flatMap((one) => branchesOf(one, value)),
  ];
};

/** The schema at a place. Only properties and items of lists have references. */
const referenced = (root: JsonSchema, ref: string): JsonSchema | undefined =>
  ref
    .split('/')
    .slice(1)
    .filter((part) => part !== 'properties')
    .reduce(
      (found: JsonSchema | undefined, part) => (part === 'items' ? found?.items : found?.properties?.[part]),
      root,
    );

const memberOf = (value: unknown, step: Step): unknown => {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
};

/** All schemas that hold at a path of a value, which may be incomplete. */
export const schemasAt = (schema: JsonSchema, value: unknown, steps: readonly Step[]): readonly JsonSchema[] => {
  let schemas = branchesOf(schema, value);
  let at = value;
  for (const step of steps) {
    at = memberOf(at, step);
    schemas = schemas.flatMap(({ properties = {}, items }) => {
      const next = typeof step === 'number' ? items : Object.hasOwn(properties, step) ? properties[step] : undefined;
      const whole = next?.$ref === undefined ? next : referenced(schema, next.$ref);
      return whole === undefined ? [] : branchesOf(whole, at);
    });
  }
  return schemas;
};

export type Proposal = { readonly label: string; readonly detail: string; readonly info: string | undefined };

const typeText = ({ type, enum: words }: JsonSchema): string =>
  words !== undefined
    ? words.filter((word) => word !== null).join(' | ')
    : Array.isArray(type)
      ? type.join(' | ')
      : String(type ?? '');

/** The properties that an object may have and lacks. */
export const propertiesAt = (
  schemas: readonly JsonSchema[],
  present: readonly string[],
): readonly (Proposal & { readonly schema: JsonSchema })[] => {
  const all = new Map(schemas.flatMap(({ properties = {} }) => Object.entries(properties)));
  return [...all]
    .filter(([name]) => !present.includes(name) && name !== '$schema')
    .map(([name, schema]) => ({ label: name, detail: typeText(schema), info: schema.description, schema }));
};

/** The words that a value may be, as JSON. */
export const valuesAt = (schemas: readonly JsonSchema[]): readonly string[] => [
  ...new Set(
    schemas.flatMap(({ enum: words = [], const: word, type }) => [
      ...[...words, ...(word === undefined ? [] : [word])].map((one) => JSON.stringify(one)),
      ...(type === 'boolean' ? ['true', 'false'] : []),
    ]),
  ),
];
