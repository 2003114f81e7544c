import type * as t from 'io-ts';
import { fieldLimits } from '../../../domain/composition/field-limits.ts';
import { flatLayersOf } from '../../../domain/composition/flat-layers.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { ProjectDocument } from '../../../domain/composition/project-shape.ts';
import { PROJECT_ID, RENDER_ID, TEAM_ID, USER_ID } from '../ids.ts';
import { RenderRequest, Values } from '../public/render-request.ts';
import { Failure, Transition } from '../public/renders.ts';
import { TEMPLATE_FIELD, TEMPLATE_SUMMARY, templateSummaryResource } from '../public/templates.ts';
import {
  NEWEST_FIRST_SEARCH_PARAMETERS,
  ORDER_PARAMETERS,
  PAGE_PARAMETERS,
  PERIOD_PARAMETERS,
  query,
  SEARCH_PARAMETERS,
  STATUS_PARAMETERS,
  TEMPLATE_PARAMETERS,
  withPeriodCheck,
} from '../query.ts';
import {
  boolean,
  count,
  definitionsOf,
  integer,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  pageOf,
  resource,
  text,
  textByKey,
  time,
  wholeList,
  withDescription,
  withKeywords,
} from '../shapes.ts';
import { FieldKind, FieldWidget, Order, RenderStatus, RenderType } from '../words.ts';
import { ListedDelivery } from './deliveries.ts';
import { contract, exampleBody, examplePage, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import { RENDER_REQUEST_RESPONSES, STREAM } from './responses.ts';
import { EraseProjectRequest } from './teams.ts';

const textOrNull = (description: string) => orNull(text(''), description);
const urlOrNull = (description: string) => orNull(text('', { format: 'uri' }), description);

const CHANGED = orNull(time(''), 'When it last changed, in milliseconds since the epoch; null until it has.');
const POSTER = urlOrNull('A signed URL of its poster; null until it is complete.');
const TEMPLATE_ID = textOrNull('The template; null if the project is rendered as it is.');

export const Project = resource('Project', 'A project.', {
  id: PROJECT_ID,
  name: text('Its name.'),
  team_id: TEAM_ID,
  version: count('The newest version; 0 without one.'),
  created_by: orNull(USER_ID, 'The user who created it; null if no user did.'),
  created_at: time('When it was created'),
  updated_at: CHANGED,
  thumbnail_url: urlOrNull('A signed URL of a still of the project; null until a still exists.'),
  thumbnail_version: orNull(integer('', { minimum: 1 }), 'The version that the still shows; null without one.'),
});

const RENDER = {
  id: RENDER_ID,
  name: text('Its name.'),
  status: withDescription(RenderStatus, 'Its progress.'),
  type: withDescription(RenderType, 'Where it is rendered.'),
  project_id: PROJECT_ID,
  template_id: TEMPLATE_ID,
  created_by: orNull(USER_ID, 'The user whose key created it; null if the key belongs to no user.'),
  created_at: time('When it was created'),
  updated_at: CHANGED,
  failed_as: textOrNull('The code of its failure; null if it has not failed.'),
};

const ProjectPage = pageOf('ProjectPage', Project, 'One page of the projects of a team.');
export const RenderInShort = resource('RenderInShort', 'A summary of a render.', RENDER);
export type RenderInShort = t.TypeOf<typeof RenderInShort>;
export const ListedRender = resource('ListedRender', 'A render in a list.', {
  ...RENDER,
  project_name: textOrNull('The name of its project; null for an unnamed one.'),
  poster_url: POSTER,
});
export const RenderFile = object('A file of a render.', {
  variant: text('The variant of the video; `master` always exists.'),
  content_type: text('Its media type.'),
  size_bytes: count('Its size.'),
  width: count('In pixels.'),
  height: count('In pixels.'),
  duration_ms: count('Its length, in milliseconds.'),
  url: text('A signed URL of this file. It needs no session, and expires (`SIGNED_URL_LIFETIME_S`).', {
    format: 'uri',
  }),
});
const RenderFiles = resource('RenderFiles', 'The files of a render.', {
  files: listOf(RenderFile, 'A video for each variant; empty until the render is complete.'),
  poster_url: POSTER,
});
const LoggedEvent = object('A record of the log, with the verdict of the fold.', {
  topic: text('The topic of the record.'),
  partition: count('The partition of the record.'),
  offset: count('The offset of the record.'),
  at: time('When it was appended'),
  type: text('The type of event: `RenderRequested`, `RenderCompleted` and others.'),
  verdict: oneOf(['accepted', 'ignored'], 'Whether it had an effect.'),
  reason: textOrNull('Why it was ignored; null if it was accepted.'),
  status: textOrNull('The status that it led to; null if the status did not change.'),
  actor: textOrNull(
    'The author: `key:key_…`, `user:user_…`, or a part of the service; null for an ignored request, whose key may belong to another team.',
  ),
  event_id: text('Its ID.'),
  attempt_id: textOrNull('Its attempt; null without one.'),
});
export type LoggedEvent = t.TypeOf<typeof LoggedEvent>;
const RenderEvents = resource('RenderEvents', 'The records of a render, in the order of the log.', {
  data: listOf(LoggedEvent, 'All accepted records, and the first ignored ones.'),
  ignored_count: count('The number of all ignored records.'),
});
const RenderDeliveries = resource('RenderDeliveries', 'The webhook deliveries of a render.', {
  data: listOf(ListedDelivery, 'The deliveries that are still stored, newest first; 100 at most.', { maxItems: 100 }),
});
const RequestedRender = resource('RequestedRender', 'The request of a render.', {
  name: text('The name of the render.'),
  project_id: PROJECT_ID,
  template_id: TEMPLATE_ID,
  values: orNull(textByKey(''), 'Values by field key; null if they are no longer stored.'),
  draft: boolean('Whether a draft was requested.'),
});
const ErasedRender = resource('ErasedRender', 'A render that is erased.', {
  id: text('Its ID.'),
  name_in_log: boolean('Whether its name stays in the log, because an earlier version of the service created it.'),
});
const ErasedProject = resource('ErasedProject', 'A project that is erased.', {
  id: text('Its ID.'),
  texts_in_log: orNull(
    boolean(''),
    'Whether its names and first documents stay in the log, because an earlier version of the service created it. Null if unknown.',
  ),
});
const TeamTemplateField = resource(
  'TeamTemplateField',
  'One input of a template, with what an editor may say at once.',
  {
    ...TEMPLATE_FIELD,
    minimum: orNull(number(''), 'The smallest number; null without one.'),
    maximum: orNull(number(''), 'The largest number; null without one.'),
    whole: boolean('Whether a number must be whole.'),
    max_length: orNull(count(''), 'The maximum number of characters of a text; null without one.'),
    options: orNull(listOf(text(''), ''), 'The only texts that are valid; null if others are.'),
  },
);
const TeamTemplate = resource('TeamTemplate', 'A template: the inputs that a project offers.', {
  ...TEMPLATE_SUMMARY,
  fields: withKeywords(listOf(TeamTemplateField, 'Every field.'), { maxItems: LIMITS.fields }),
});
const TemplateList = wholeList('TemplateList', TeamTemplate, 'The templates of a project, in its order.');
const RenderPage = pageOf('RenderPage', ListedRender, 'One page of the renders of a project or a team.');
const RenderAttempt = object('An attempt of a worker.', {
  n: integer('The number of the attempt, starting at 1.', { minimum: 1 }),
  worker_id: text('The worker.'),
  lost: textOrNull('Why it was lost; null if it was not.'),
  finished: boolean('Whether everything was rendered.'),
});
export const RenderWithTransitions = resource('RenderWithTransitions', 'A render with its transitions.', {
  ...RENDER,
  project_version: count('The version of the project that is rendered.'),
  reserved_credits: count('Credits that are reserved for it.'),
  charged_credits: count('Credits that were charged for it.'),
  variants: listOf(text(''), 'The variants of the video that exist.'),
  attempts: listOf(RenderAttempt, 'The attempts, oldest first.'),
  transitions: listOf(Transition, 'Every change of status, in order.'),
});

export const RENDER_SCHEMAS = definitionsOf([
  ...[
    RenderStatus,
    RenderType,
    Order,
    Transition,
    Failure,
    Project,
    ProjectPage,
    RenderInShort,
    ListedRender,
    RenderFiles,
  ],
  ...[RenderEvents, RenderDeliveries, RequestedRender, ErasedRender, ErasedProject, RenderRequest, Values],
  ...[TeamTemplate, TeamTemplateField, FieldKind, FieldWidget, TemplateList, RenderPage, RenderWithTransitions],
]);

/** The templates of a project, with the limits of the properties that their fields drive. */
export const teamTemplates = (
  project_id: string,
  { templates, compositions, assets }: Pick<ProjectDocument, 'templates' | 'compositions' | 'assets'>,
): readonly t.TypeOf<typeof TeamTemplate>[] =>
  templates.map((template) => {
    const composition = compositions.find(({ id }) => id === template.target_composition_id);
    const layers = flatLayersOf(composition?.layers ?? []).map(({ layer }) => layer);
    return TeamTemplate.encode({
      ...templateSummaryResource(project_id, template),
      fields: template.fields.map((field) => ({ ...field, ...fieldLimits(layers, assets, field) })),
    });
  });

/** A search in a team reads the list of each project. */
export const MAX_SEARCHED_PROJECTS = 100;

export const TeamProjectsQuery = query({ ...PAGE_PARAMETERS, ...SEARCH_PARAMETERS, ...ORDER_PARAMETERS });
export const ProjectRendersQuery = withPeriodCheck(
  query({
    ...PAGE_PARAMETERS,
    ...SEARCH_PARAMETERS,
    ...ORDER_PARAMETERS,
    ...STATUS_PARAMETERS,
    ...TEMPLATE_PARAMETERS,
    ...PERIOD_PARAMETERS,
  }),
);
export const TeamRendersQuery = withPeriodCheck(
  query({
    ...PAGE_PARAMETERS,
    ...NEWEST_FIRST_SEARCH_PARAMETERS,
    ...STATUS_PARAMETERS,
    ...TEMPLATE_PARAMETERS,
    ...PERIOD_PARAMETERS,
  }),
);

const AT = 1_763_740_800_000;
export const PROJECT: t.TypeOf<typeof Project> = {
  ...{ id: 'proj_01KAJWZK3H', name: 'Spring sale', team_id: 'team_01KAJWY8QD', version: 3 },
  ...{ created_by: null, created_at: AT, updated_at: AT },
  ...{ thumbnail_url: null, thumbnail_version: null },
};
export const RENDER_EXAMPLE: RenderInShort = {
  ...{ id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C', name: 'Spring sale, Oslo', status: 'queued', type: 'cloud' },
  ...{ project_id: PROJECT.id, template_id: null, created_by: null, created_at: AT, updated_at: AT, failed_as: null },
};
export const RENDER_REQUEST_EXAMPLE = {
  name: RENDER_EXAMPLE.name,
  project_id: PROJECT.id,
  template_id: 'tpl_campaign',
  values: { headline: 'Oslo' },
};

const signed = (file: string) =>
  `https://media.example.com/renders/renders/${RENDER_EXAMPLE.id}/01KAJX4A/${file}?se=2025-11-22T16%3A00%3A00Z&sp=r&sig=Zm9v`;

const tag = 'Renders';
const FOR_MEMBERS = 'For members of the team.';
const listed = {
  200: jsonResponse(
    'A page.',
    RenderPage,
    examplePage({ ...RENDER_EXAMPLE, project_name: PROJECT.name, poster_url: null }),
  ),
};

const CHANGES = contract({
  'GET /manage/v1/accounts/{account_id}/changes': {
    ...{ guard: 'account_member', id: 'listenToChanges', tag, summary: 'Listen to changes' },
    description: `Server-Sent Events for owners and members of an account. Members get the changes of the renders of
their teams, owners get all changes. \`changed\` names the element that changed, without its content: \`type\`, \`id\` and
\`team_id\`. A \`render\` also has a \`project_id\`. An \`endpoint\` means that its deliveries changed. A \`team\` or an
\`account\` means that its name, people, keys, endpoints, projects or settings changed. Read it by its ID. An event may come more than once. \`reset\` replaces missed
events that are no longer known: read everything again. \`alive\` comes every 15 seconds. The stream ends with the session,
with the role in the account, or at any other time. Connect again with \`Last-Event-ID\`, as \`EventSource\` does, to get the missed
renders. Read the other elements again.`,
    parameters: [
      {
        ...{ name: 'Last-Event-ID', in: 'header', required: false },
        description: 'The last ID that the client received from a stream of this account.',
        schema: { type: 'string', minLength: 1 },
      },
    ],
    answers: { 200: STREAM },
  },
});

const OF_PROJECTS = contract({
  'GET /manage/v1/teams/{team_id}/projects': {
    ...{ guard: 'team_member', id: 'listTeamProjects', tag, summary: 'List the projects of a team' },
    description: FOR_MEMBERS,
    parameters: TeamProjectsQuery.parameters,
    answers: { 200: jsonResponse('A page.', ProjectPage, examplePage(PROJECT)) },
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}': {
    ...{ guard: 'team_member', id: 'getTeamProject', tag, summary: 'Read a project', description: FOR_MEMBERS },
    answers: { 200: jsonResponse('The project.', Project, PROJECT) },
  },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/erase': {
    ...{ guard: 'fresh_team_admin', id: 'eraseTeamProject', tag, summary: 'Erase a project and all of its renders' },
    description:
      'You cannot undo this. It erases the name, the documents, the assets and the thumbnails, and each render as soon as it has ended. The project gets 404 from then on, is in no list, and takes no renders. The cost of its renders stays. The body has its name, or its ID if the name cannot be typed. A repeat gets the same answer. For admins, with a fresh sign-in.',
    body: exampleBody(EraseProjectRequest, { name: PROJECT.name }),
    answers: {
      200: jsonResponse(
        'The project is erased, by this request or an earlier one. Its renders and files are deleted within moments; renders in progress when they end.',
        ErasedProject,
        { id: PROJECT.id, texts_in_log: false },
      ),
    },
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/renders': {
    ...{ guard: 'team_member', id: 'listProjectRenders', tag, summary: 'List the renders of a project' },
    description: FOR_MEMBERS,
    parameters: ProjectRendersQuery.parameters,
    answers: listed,
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/templates': {
    ...{ guard: 'team_member', id: 'listProjectTemplates', tag, summary: 'List the templates of a project' },
    description: `The templates of its newest version, with their fields. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('The templates.', TemplateList, { data: [] }) },
  },
});

const OF_RENDERS = contract({
  'GET /manage/v1/teams/{team_id}/renders': {
    ...{ guard: 'team_member', id: 'listTeamRenders', tag, summary: 'List the renders of a team' },
    description: `The renders of all its projects, the newest first. A search or a template covers its ${MAX_SEARCHED_PROJECTS} newest projects. ${FOR_MEMBERS}`,
    parameters: TeamRendersQuery.parameters,
    answers: listed,
  },
  'POST /manage/v1/teams/{team_id}/renders': {
    ...{ guard: 'team_member', id: 'requestTeamRender', tag, summary: 'Request a render' },
    description:
      'Like `POST /v1/renders`, with its limits and its price, for a project of the team. For members of the team. With an `Idempotency-Key` a repeat finds the render, as it was created.',
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(RenderRequest, RENDER_REQUEST_EXAMPLE),
    answers: { 201: jsonResponse('The render, from this request or an earlier one.', RenderInShort, RENDER_EXAMPLE) },
    refusals: RENDER_REQUEST_RESPONSES,
  },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}': {
    ...{ guard: 'team_member', id: 'getTeamRender', tag, summary: 'Read a render' },
    description: `With its transitions, its attempts, and why it failed. ${FOR_MEMBERS}`,
    answers: {
      200: jsonResponse('The render.', RenderWithTransitions, {
        ...{
          ...RENDER_EXAMPLE,
          project_version: 3,
          reserved_credits: 4,
          charged_credits: 0,
          variants: [],
          attempts: [],
        },
        transitions: [{ seq: 1, status: 'initializing', at: AT, attempt: null }],
      }),
    },
  },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/files': {
    ...{ guard: 'team_member', id: 'getRenderFiles', tag, summary: 'Get the files of a render' },
    description: `With fresh URLs at every request, like \`output\` of \`/v1\`. ${FOR_MEMBERS}`,
    answers: {
      200: jsonResponse('The files.', RenderFiles, {
        files: [
          {
            ...{ variant: 'master', content_type: 'video/mp4', size_bytes: 4_194_304, width: 1_920, height: 1_080 },
            ...{ duration_ms: 12_000, url: signed('master.mp4') },
          },
        ],
        poster_url: signed('poster.jpg'),
      }),
    },
  },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/events': {
    ...{ guard: 'team_member', id: 'listRenderEvents', tag, summary: 'List the records of a render' },
    description: `The records of the log, with the verdict of the fold on each. ${FOR_MEMBERS}`,
    answers: {
      200: jsonResponse('The records.', RenderEvents, {
        data: [
          {
            ...{ topic: 'render-events', partition: 3, offset: 4_711, at: AT, type: 'RenderRequested' },
            ...({ verdict: 'accepted', reason: null, status: 'initializing', actor: 'key:key_01KAJX0T7B' } as const),
            ...{ event_id: '01KAJX3Z5Q8W9V2T7R4N6M1B0C', attempt_id: null },
          },
        ],
        ignored_count: 0,
      }),
    },
  },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/deliveries': {
    ...{ guard: 'team_member', id: 'listRenderDeliveries', tag, summary: 'List the webhook deliveries of a render' },
    description: `The deliveries to every endpoint of the team, including deleted ones. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('The deliveries.', RenderDeliveries, { data: [] }) },
  },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/request': {
    ...{ guard: 'team_member', id: 'getRenderRequest', tag, summary: 'Read the request of a render' },
    description: `The original request, to repeat it. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('The request.', RequestedRender, { ...RENDER_REQUEST_EXAMPLE, draft: false }) },
  },
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/cancel': {
    ...{ guard: 'team_member', id: 'cancelTeamRender', tag, summary: 'Cancel a render' },
    description:
      'Like `POST /v1/renders/{id}/cancel`, until the render is final. It fails with the code `cancelled`, and costs nothing. A repeat gets the same answer. For members of the team, who may also request renders.',
    answers: {
      200: jsonResponse('The render is cancelled, by this request or an earlier one.', RenderInShort, {
        ...{ ...RENDER_EXAMPLE, status: 'failed', failed_as: 'cancelled' },
      }),
      202: jsonResponse(
        'The render will be cancelled unless it has just ended: read it again. The body has its state before the cancellation.',
        RenderInShort,
        RENDER_EXAMPLE,
      ),
    },
  },
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/erase': {
    ...{ guard: 'fresh_team_admin', id: 'eraseTeamRender', tag, summary: 'Erase a render' },
    description:
      'You cannot undo this. It erases the name, the values, the outputs and everything made from them. The render gets 404 from then on, is in no list, and its `Idempotency-Key` stays taken. Its cost stays. It must have ended. A repeat gets the same answer. For admins, with a fresh sign-in.',
    answers: {
      200: jsonResponse(
        'The render is erased, by this request or an earlier one. Its files are deleted within moments.',
        ErasedRender,
        { id: RENDER_EXAMPLE.id, name_in_log: false },
      ),
    },
  },
});

export const RENDERS = { ...CHANGES, ...OF_PROJECTS, ...OF_RENDERS };
