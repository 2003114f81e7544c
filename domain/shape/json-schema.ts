type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** A JSON Schema 2020-12 of keywords that editors know. It accepts everything that the codec beside it accepts. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** Also null. Where there is one plain type it stays one, as editors tell that best. */
export const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

/** A union discriminated by `member`, so that faults are reported for the variant that was meant. */
export const chosenBy = (member: string, schemas: { readonly [word: string]: JsonSchema }): JsonSchema => ({
  type: 'object',
  properties: { [member]: { enum: Object.keys(schemas) } },
  required: [member],
  allOf: Object.entries(schemas).map(([word, schema]) => ({
    if: { properties: { [member]: { const: word } }, required: [member] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
  })),
});
