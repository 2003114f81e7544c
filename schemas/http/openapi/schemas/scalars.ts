import { type Schema, schemaRef } from '../form.ts';

/** @param prefix of the ids of one kind; what follows it is opaque */
const id = (prefix: string, what: string): Schema => ({
  type: 'string',
  pattern: `^${prefix}.`,
  description: `Id of ${what}: \`${prefix}\` and opaque text.`,
});

export const RENDER_ID = id('rend_', 'a render');
export const PROJECT_ID = id('proj_', 'a project');
export const TEAM_ID = id('team_', 'a team');
export const USER_ID = id('user_', 'a user');
export const TEMPLATE_ID = id('tpl_', 'a template');
export const COMPOSITION_ID = id('comp_', 'a composition');
export const ACCOUNT_ID = id('acc_', 'an account');
export const DELIVERY_ID = id('hook_', 'a webhook delivery');

/** @param what it is the time of */
export const time = (what: string): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description: `${what}, in milliseconds since the epoch.`,
});

export const text = (description: string): Schema => ({ type: 'string', description });

/** A schema of one type, or null. */
export const orNull = (schema: Schema, description: string): Schema => ({
  ...schema,
  type: [schema.type, 'null'],
  description,
});

/** A schema of the document, with what it means here. @param name that references use */
export const shared = (name: string, description: string): Schema => ({ ...schemaRef(name), description });

/** The same, or null. */
export const sharedOrNull = (name: string, description: string): Schema => ({
  anyOf: [schemaRef(name), { type: 'null' }],
  description,
});

/** An object of these members. The document lets answers hold more, as members may be added; tests allow nothing more. */
export const object = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
