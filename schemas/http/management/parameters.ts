import type { Parameter } from '../openapi/form.ts';
import { IDEMPOTENCY_KEY_LENGTH } from '../openapi/limits.ts';
import { PARAMETERS } from '../openapi/parameters.ts';

const inPath = (name: string, what: string, example: string): Parameter => ({
  ...{ name, in: 'path', required: true, description: `Id of ${what}.`, schema: { type: 'string', minLength: 1 } },
  example,
});

export const IN_PATH = {
  team: inPath('team_id', 'the team', 'team_01KAJWY8QD'),
  account: inPath('account_id', 'the account', 'acc_01KAJWXQ4N'),
  user: inPath('user_id', 'the user', 'user_01KAJWYH5M'),
  invitation: inPath('invitation_id', 'the invitation', 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B'),
  project: inPath('project_id', 'the project', 'proj_01KAJWZK3H'),
  render: inPath('render_id', 'the render', 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C'),
  key: inPath('key_id', 'the API key', 'key_01KAJX0T7B'),
  endpoint: inPath('endpoint_id', 'the webhook endpoint', 'whe_01KAJX1M9D'),
  delivery: inPath('delivery_id', 'the delivery', 'hook_4f1d2a7c90b35e681f2d3c4b5a697887'),
} as const;

/** By their name in a path. */
export const PATH_PARAMETERS: Readonly<Record<string, Parameter>> = Object.fromEntries(
  Object.values(IN_PATH).map((parameter) => [parameter.name, parameter]),
);

export const inQuery = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  ...{ name, in: 'query', required: false, description, schema },
});

/** Of every paged list. */
export const PAGE = [PARAMETERS.Limit, PARAMETERS.Cursor] as const;

// Without an example, as in /v1.
export const IDEMPOTENCY_KEY: Parameter = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description:
    'Text of your own, for example a UUID, that makes it safe to send the request again: a repeat finds what was made, and is answered 200 without its secret, which is shown once. With another body it is refused with 422. It belongs to the person and the team, and never expires.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' },
};
