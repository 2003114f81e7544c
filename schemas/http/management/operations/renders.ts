import { PARAMETERS } from '../../openapi/parameters.ts';
import { ANYWHERE, answerLike, bodyLike, NO_BODY, STREAM, TO_CHANGES, TO_RENDERS } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { IDEMPOTENCY_KEY, IN_PATH, PAGE } from '../parameters.ts';

const AT = 1_763_740_800_000;
const PROJECT = {
  ...{ id: 'proj_01KAJWZK3H', name: 'Spring sale', team_id: 'team_01KAJWY8QD', version: 3 },
  ...{ created_by: null, created_at: AT, updated_at: AT },
  thumbnail_url: null,
};
const RENDER = {
  ...{ id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C', name: 'Spring sale, Oslo', status: 'queued', type: 'cloud' },
  ...{ project_id: PROJECT.id, template_id: null, created_by: null, created_at: AT, updated_at: AT, failed_as: null },
};
const page = (one: unknown) => ({ data: [one], has_more: false, next_cursor: null });
const tags = ['Renders'];

const listProjects: ManagementOperation = {
  ...{ operationId: 'listTeamProjects', tags, summary: 'List the projects of a team' },
  description: 'For members of the team.',
  parameters: [IN_PATH.team, ...PAGE, PARAMETERS.Search, PARAMETERS.InOrder],
  responses: { '200': answerLike('A page.', 'ProjectPage', page(PROJECT)), ...ANYWHERE },
};

const getProject: ManagementOperation = {
  ...{ operationId: 'getTeamProject', tags, summary: 'Read a project' },
  description: 'For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.project],
  responses: { '200': answerLike('The project.', 'Project', PROJECT), ...ANYWHERE },
};

const eraseProject: ManagementOperation = {
  ...{ operationId: 'eraseTeamProject', tags, summary: 'Erase a project and all of its renders' },
  description:
    'For good: its name and documents, its assets and thumbnails, and each of its renders as soon as it has ended. It is 404 from then on, in no list, and takes no render. What its renders have cost stays. The body has its name, or its id where nobody can type the name. A repeat is answered alike. For admins, with a fresh sign-in.',
  parameters: [IN_PATH.team, IN_PATH.project],
  requestBody: bodyLike('EraseProjectRequest', { name: PROJECT.name }),
  responses: {
    '200': answerLike(
      'It is erased, by this request or before. Its renders and files go within moments; renders that have not ended, when they have.',
      'ErasedProject',
      { id: PROJECT.id, texts_in_log: false },
    ),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

const listRenders: ManagementOperation = {
  ...{ operationId: 'listProjectRenders', tags, summary: 'List the renders of a project' },
  description: 'For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.project, ...PAGE, PARAMETERS.Search, PARAMETERS.InOrder, PARAMETERS.Status],
  responses: { '200': answerLike('A page.', 'RenderPage', page({ ...RENDER, poster_url: null })), ...ANYWHERE },
};

const listTeamRenders: ManagementOperation = {
  ...{ operationId: 'listTeamRenders', tags, summary: 'List the renders of a team' },
  description: 'Of all its projects, the newest first. For members of the team.',
  parameters: [IN_PATH.team, ...PAGE, PARAMETERS.Status],
  responses: { '200': answerLike('A page.', 'RenderPage', page({ ...RENDER, poster_url: null })), ...ANYWHERE },
};

const requestRender: ManagementOperation = {
  ...{ operationId: 'requestTeamRender', tags, summary: 'Ask for a render' },
  description:
    'As `POST /v1/renders`, with its limits and for its price, of a project of the team. For members of the team. With an `Idempotency-Key` a repeat finds the render, as it was created.',
  parameters: [IN_PATH.team, IDEMPOTENCY_KEY],
  requestBody: bodyLike('RenderRequest', {
    ...{ name: RENDER.name, project_id: PROJECT.id, template_id: 'tpl_campaign', values: { headline: 'Oslo' } },
  }),
  responses: {
    '201': answerLike('It is asked for, by this request or before.', 'RenderInShort', RENDER),
    ...ANYWHERE,
    ...TO_RENDERS,
  },
};

const getRender: ManagementOperation = {
  ...{ operationId: 'getTeamRender', tags, summary: 'Read a render' },
  description: 'With every change of status, its attempts, and why it failed. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.render],
  responses: {
    '200': answerLike('The render.', 'RenderWithTransitions', {
      ...{ ...RENDER, project_version: 3, reserved_credits: 4, charged_credits: 0, variants: [], attempts: [] },
      transitions: [{ seq: 1, status: 'initializing', at: AT, attempt: null }],
    }),
    ...ANYWHERE,
  },
};

const signed = (file: string) =>
  `https://media.example.com/renders/renders/${RENDER.id}/01KAJX4A/${file}?se=2025-11-22T16%3A00%3A00Z&sp=r&sig=Zm9v`;

const getFiles: ManagementOperation = {
  ...{ operationId: 'getRenderFiles', tags, summary: 'Get the files of a render' },
  description: 'With fresh URLs at every request, like `output` of `/v1`. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.render],
  responses: {
    '200': answerLike('The files.', 'RenderFiles', {
      files: [
        {
          ...{ variant: 'master', content_type: 'video/mp4', size_bytes: 4_194_304, width: 1_920, height: 1_080 },
          ...{ duration_ms: 12_000, url: signed('master.mp4') },
        },
      ],
      poster_url: signed('poster.jpg'),
    }),
    ...ANYWHERE,
  },
};

const getEvents: ManagementOperation = {
  ...{ operationId: 'listRenderEvents', tags, summary: 'List the records of a render' },
  description: 'As the log has them, with what the fold said of each. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.render],
  responses: {
    '200': answerLike('The records.', 'RenderEvents', {
      data: [
        {
          ...{ topic: 'render-events', partition: 3, offset: 4_711, at: AT, type: 'RenderRequested' },
          ...{ verdict: 'accepted', reason: null, status: 'initializing', actor: 'key:key_01KAJX0T7B' },
          ...{ event_id: '01KAJX3Z5Q8W9V2T7R4N6M1B0C', attempt_id: null },
        },
      ],
      ignored_count: 0,
    }),
    ...ANYWHERE,
  },
};

const getDeliveries: ManagementOperation = {
  ...{ operationId: 'listRenderDeliveries', tags, summary: 'List the webhook deliveries of a render' },
  description: 'To every endpoint of the team, those that were deleted since, too. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.render],
  responses: { '200': answerLike('The deliveries.', 'RenderDeliveries', { data: [] }), ...ANYWHERE },
};

const getRequest: ManagementOperation = {
  ...{ operationId: 'getRenderRequest', tags, summary: 'Read what was asked for' },
  description: 'So that it can be asked for again. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.render],
  responses: {
    '200': answerLike('What was asked for.', 'RequestedRender', {
      ...{ name: RENDER.name, project_id: PROJECT.id, template_id: 'tpl_campaign', values: { headline: 'Oslo' } },
      draft: false,
    }),
    ...ANYWHERE,
  },
};

const listTemplates: ManagementOperation = {
  ...{ operationId: 'listProjectTemplates', tags, summary: 'List the templates of a project' },
  description: 'Of its newest version, with their fields. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.project],
  responses: { '200': answerLike('The templates.', 'TemplateList', { data: [] }), ...ANYWHERE },
};

const CANCELLED = { ...RENDER, status: 'failed', failed_as: 'cancelled' };

const cancelRender: ManagementOperation = {
  ...{ operationId: 'cancelTeamRender', tags, summary: 'Cancel a render' },
  description:
    'As `POST /v1/renders/{id}/cancel`: until it is final. It has failed then, with the code `cancelled`, and costs nothing. A repeat is answered alike. For members of the team, who may make renders as well.',
  parameters: [IN_PATH.team, IN_PATH.render],
  requestBody: NO_BODY,
  responses: {
    '200': answerLike('It is cancelled, by this request or before.', 'RenderInShort', CANCELLED),
    '202': answerLike(
      'It will be cancelled unless it has just ended otherwise: look again. The render is as it was.',
      ...(['RenderInShort', RENDER] as const),
    ),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

const eraseRender: ManagementOperation = {
  ...{ operationId: 'eraseTeamRender', tags, summary: 'Erase a render' },
  description:
    'For good: its name and values, its outputs and all that was made of them. It is 404 from then on, in no list, and its `Idempotency-Key` is taken. What it has cost stays. It must have ended. A repeat is answered alike. For admins, with a fresh sign-in.',
  parameters: [IN_PATH.team, IN_PATH.render],
  requestBody: NO_BODY,
  responses: {
    '200': answerLike(
      'It is erased, by this request or before. Its files are deleted within moments.',
      'ErasedRender',
      {
        ...{ id: RENDER.id, name_in_log: false },
      },
    ),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

const listen: ManagementOperation = {
  ...{ operationId: 'listenToChanges', tags, summary: 'Be told what changes' },
  description: `Server-Sent Events, for whoever has a part in the account: of the renders of their teams, and of all for its
owners. \`changed\` names what has changed and says nothing of it (\`{"type": "render", "id", "project_id", "team_id"}\`):
read it by its id. It may come more than once. \`reset\` stands for what was missed and is not known any more: read
all anew. \`alive\` is a sign of life, every 15 seconds. The stream ends when the session or the part in the account does,
and at any other time: come back with \`Last-Event-ID\`, as \`EventSource\` does, and what was missed is told.`,
  parameters: [
    IN_PATH.account,
    {
      ...{ name: 'Last-Event-ID', in: 'header', required: false },
      description: 'The last id that was read of a stream of this account.',
      schema: { type: 'string', minLength: 1 },
    },
  ],
  responses: { '200': STREAM, ...ANYWHERE },
};

export const RENDER_PATHS = {
  '/manage/v1/accounts/{account_id}/changes': { get: listen },
  '/manage/v1/teams/{team_id}/projects': { get: listProjects },
  '/manage/v1/teams/{team_id}/projects/{project_id}': { get: getProject },
  '/manage/v1/teams/{team_id}/projects/{project_id}/erase': { post: eraseProject },
  '/manage/v1/teams/{team_id}/projects/{project_id}/renders': { get: listRenders },
  '/manage/v1/teams/{team_id}/projects/{project_id}/templates': { get: listTemplates },
  '/manage/v1/teams/{team_id}/renders': { get: listTeamRenders, post: requestRender },
  '/manage/v1/teams/{team_id}/renders/{render_id}': { get: getRender },
  '/manage/v1/teams/{team_id}/renders/{render_id}/files': { get: getFiles },
  '/manage/v1/teams/{team_id}/renders/{render_id}/events': { get: getEvents },
  '/manage/v1/teams/{team_id}/renders/{render_id}/deliveries': { get: getDeliveries },
  '/manage/v1/teams/{team_id}/renders/{render_id}/request': { get: getRequest },
  '/manage/v1/teams/{team_id}/renders/{render_id}/cancel': { post: cancelRender },
  '/manage/v1/teams/{team_id}/renders/{render_id}/erase': { post: eraseRender },
} as const;
