type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** JSON Schema 2020-12 with keywords that editors support. It accepts everything that its codec accepts. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** A single plain type gets a list of types, because editors describe that best. */
export const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

/** A union discriminated by `member`, so that faults refer to the intended variant. */
export const discriminatedUnion = (member: string, schemas: { readonly [word: string]: JsonSchema }): JsonSchema => ({
  type: 'object',
  properties: { [member]: { enum: Object.keys(schemas) } },
  required: [member],
  allOf: Object.entries(schemas).map(([word, schema]) => ({
    if: { properties: { [member]: { const: word } }, required: [member] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
  })),
});
