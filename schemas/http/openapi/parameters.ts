import { type Parameter, schemaRef } from './form.ts';
import { CURSOR_LENGTH, IDEMPOTENCY_KEY_LENGTH, MAX_ITEMS, SEARCH_LENGTH, USUAL_ITEMS } from './limits.ts';

const inPath = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 1 },
  example,
});

const inQuery = (
  name: string,
  required: boolean,
  description: string,
  schema: Parameter['schema'],
  example?: unknown,
): Parameter => ({
  name,
  in: 'query',
  required,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

/** Parameters of requests, under the name that references use. */
export const PARAMETERS = {
  RenderId: inPath('id', 'Id of the render.', 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C'),
  ProjectId: inPath('id', 'Id of the project.', 'proj_01KAJWZK3H'),
  TeamId: inPath('id', 'Id of the team.', 'team_01KAJWY8QD'),
  UserId: inPath('id', 'Id of the user.', 'user_01KAJWYH5M'),
  TemplateId: inPath('template_id', 'Id of the template.', 'tpl_sale'),
  OfProject: inQuery(
    'project_id',
    true,
    'The project whose renders or templates are asked for.',
    { type: 'string', minLength: 1 },
    'proj_01KAJWZK3H',
  ),
  OfTeam: inQuery(
    'team_id',
    true,
    'The team whose members are asked for.',
    { type: 'string', minLength: 1 },
    'team_01KAJWY8QD',
  ),
  OfAnyTeam: inQuery(
    'team_id',
    false,
    'The team whose projects are asked for. May be left out where the key reaches only one; else the answer is 400 and names those that it reaches.',
    { type: 'string', minLength: 1 },
    'team_01KAJWY8QD',
  ),
  Limit: inQuery(
    'limit',
    false,
    `How many elements a page holds at most; more than ${MAX_ITEMS} count as ${MAX_ITEMS}.`,
    {
      type: 'integer',
      minimum: 1,
      default: USUAL_ITEMS,
    },
  ),
  Cursor: inQuery(
    'cursor',
    false,
    'The `next_cursor` of the page before; leave it out for the first page. Opaque, and good only for the same list with the same filters: after a change of `search`, `status` or `order` begin again. Anything else is refused with 400.',
    { type: 'string', maxLength: CURSOR_LENGTH },
  ),
  Search: inQuery(
    'search',
    false,
    'Only what has all of these words, or words that begin with them, in its name; accents and case do not count. Ordered by how well the name matches (all of it, whole words, beginnings), then newest first. What is renamed while you page may show twice, or not at all.',
    { type: 'string', maxLength: SEARCH_LENGTH },
    'spring sale',
  ),
  Status: inQuery('status', false, 'Only renders with this status.', schemaRef('RenderStatus'), 'complete'),
  InOrder: inQuery(
    'order',
    false,
    'By the time of creation: `desc` newest first, `asc` oldest first. Ignored with `search`.',
    { ...schemaRef('Order'), default: 'desc' },
  ),
  // Without an example: the page would fill it in, and the second try would be a conflict.
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Text of your own, for example a UUID, that makes it safe to send the request again: with the same key and the same body there is one render, and every answer is the one of its creation. The same key with another body is refused with 422. It belongs to the account, all of whose teams share it, and never expires.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_LENGTH,
      pattern: '^[\\x21-\\x7e]+$',
    },
  },
} as const satisfies Readonly<Record<string, Parameter>>;
