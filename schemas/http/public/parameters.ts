import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../limits.ts';
import type { Parameter } from '../openapi.ts';
import {
  ORDER_PARAMETERS,
  optionalText,
  PAGE_PARAMETERS,
  PERIOD_PARAMETERS,
  parameterOf,
  requiredText,
  SEARCH_PARAMETERS,
  STATUS_PARAMETERS,
  TEMPLATE_PARAMETERS,
} from '../query.ts';

const inPath = (name: string, description: string, example: string): Parameter => ({
  ...{ name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 }, example },
});

export const PROJECT_PARAMETER = {
  project_id: requiredText('OfProject', 'The project whose renders or templates are listed.', 'proj_01KAJWZK3H'),
};

export const TEAM_PARAMETER = {
  team_id: requiredText('OfTeam', 'The team whose members are listed.', 'team_01KAJWY8QD'),
};

export const OPTIONAL_TEAM_PARAMETER = {
  team_id: optionalText(
    'The team whose projects are listed. You may leave it out if the key reaches only one team. Otherwise the answer is 400 and names the teams.',
    { example: 'team_01KAJWY8QD', reference: 'OfAnyTeam' },
  ),
};

export const PARAMETERS = {
  RenderId: inPath('id', 'ID of the render.', 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C'),
  ProjectId: inPath('id', 'ID of the project.', 'proj_01KAJWZK3H'),
  TeamId: inPath('id', 'ID of the team.', 'team_01KAJWY8QD'),
  UserId: inPath('id', 'ID of the user.', 'user_01KAJWYH5M'),
  UploadId: inPath('id', 'ID of the upload.', 'upload_5f2d0c8e9b7a46138c1de0f4a2b39675'),
  TemplateId: inPath('template_id', 'ID of the template.', 'tpl_sale'),
  OfProject: parameterOf('project_id', PROJECT_PARAMETER.project_id),
  OfTeam: parameterOf('team_id', TEAM_PARAMETER.team_id),
  OfAnyTeam: parameterOf('team_id', OPTIONAL_TEAM_PARAMETER.team_id),
  Limit: parameterOf('limit', PAGE_PARAMETERS.limit),
  Cursor: parameterOf('cursor', PAGE_PARAMETERS.cursor),
  Search: parameterOf('search', SEARCH_PARAMETERS.search),
  Status: parameterOf('status', STATUS_PARAMETERS.status),
  WithTemplate: parameterOf('template_id', TEMPLATE_PARAMETERS.template_id),
  InOrder: parameterOf('order', ORDER_PARAMETERS.order),
  Since: parameterOf('since', PERIOD_PARAMETERS.since),
  Until: parameterOf('until', PERIOD_PARAMETERS.until),
  VersionNumber: {
    ...{ name: 'version', in: 'path', required: true, description: 'Number of the version.' },
    ...{ schema: { type: 'integer', minimum: 1 }, example: 1 },
  },
  IfMatch: {
    ...{ name: 'If-Match', in: 'header', required: true },
    description:
      'The version that the document was made from: its ETag, which is its number in quotes. If the project has a newer one, the answer is 412. `*` adds the version on top of any.',
    schema: { type: 'string', pattern: '^(\\*|"[0-9]{1,9}")$' },
  },
  // The parameters have no example: the documentation page would send it, and a second try would conflict.
  CreationKey: {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'A text of your choice, for example a UUID, that makes it safe to repeat the request. Requests with the same key and body create only one project, and each returns it. The same key with a different body gets 422. It belongs to the account, is shared by all its teams, and never expires.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' },
  },
  IdempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'A text of your choice, for example a UUID, that makes it safe to repeat the request. Requests with the same key and body create only one render, and each returns the render as it was created. The same key with a different body gets 422. It belongs to the account, is shared by all its teams, and never expires.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' },
  },
} as const satisfies Readonly<Record<string, Parameter>>;
