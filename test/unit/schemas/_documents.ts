import fc from 'fast-check';
import type { JsonSchema } from '../../../domain/shape/json-schema.ts';

type Json = JsonSchema[string];

const isSchema = (u: Json | undefined): u is JsonSchema => typeof u === 'object' && u !== null && !Array.isArray(u);
const listOf = (u: Json | undefined): readonly Json[] => (Array.isArray(u) ? u : []);
const schemasIn = (u: Json | undefined): readonly JsonSchema[] => listOf(u).filter(isSchema);
const namesIn = (u: Json | undefined): readonly string[] =>
  listOf(u).filter((name): name is string => typeof name === 'string');
const numberOr = (u: Json | undefined, otherwise: number): number => (typeof u === 'number' ? u : otherwise);

const objects = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const members = isSchema(schema.properties) ? schema.properties : {};
  const arbitraries: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, member] of Object.entries(members)) if (isSchema(member)) arbitraries[name] = documents(member);
  return fc.record(arbitraries, { requiredKeys: [...namesIn(schema.required)] });
};

const numbers = ({ minimum, maximum, exclusiveMinimum }: JsonSchema): fc.Arbitrary<number> =>
  fc.double({
    min: numberOr(minimum, numberOr(exclusiveMinimum, 0)),
    max: numberOr(maximum, 0),
    minExcluded: minimum === undefined,
    noNaN: true,
  });

const strings = ({ pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> => {
  if (typeof pattern !== 'string')
    return fc.string({ minLength: numberOr(minLength, 0), maxLength: Math.min(30, numberOr(maxLength, 30)) });
  // The generator cannot follow lookaheads: it draws a few, and the filter drops those that do not match.
  const drawn = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?!(?:[^()]|\([^()]*\))*\)/g, '')));
  return drawn.filter((text) => new RegExp(pattern, 'u').test(text));
};

const ofType = (schema: JsonSchema, type: string): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: numberOr(schema.minimum, 0), max: numberOr(schema.maximum, 0) });
    case 'number':
      return numbers(schema);
    case 'string':
      return strings(schema);
    case 'array':
      // The schema refers to itself, for layers of groups.
      return isSchema(schema.items) && schema.items.$ref === undefined
        ? fc.array(documents(schema.items), { minLength: numberOr(schema.minItems, 0), maxLength: 3 })
        : fc.constant([]);
    default:
      return objects(schema);
  }
};

/** Values that the schema allows, for the parts of JSON Schema that the project's schema uses. */
export const documents = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const choices = [
    ...schemasIn(schema.anyOf),
    ...schemasIn(schema.allOf).flatMap(({ then }) => (isSchema(then) ? [then] : [])),
  ];
  if (isSchema(schema.then) && isSchema(schema.else)) choices.push(schema.then, schema.else);
  if (choices.length > 0) return fc.oneof(...choices.map(documents));
  const types = typeof schema.type === 'string' ? [schema.type] : namesIn(schema.type);
  return fc.oneof(...types.map((type) => ofType(schema, type)));
};
