import type { Schema } from '../../openapi/form.ts';
import { pageOf, wholeList } from '../../openapi/schemas/list.ts';
import { RENDER_REQUEST, VALUES } from '../../openapi/schemas/render.ts';
import {
  object,
  orNull,
  PROJECT_ID,
  RENDER_ID,
  shared,
  TEAM_ID,
  text,
  time,
  USER_ID,
} from '../../openapi/schemas/scalars.ts';
import { TEMPLATE, TEMPLATE_FIELD } from '../../openapi/schemas/template.ts';
import { TRANSITION } from '../../openapi/schemas/transition.ts';
import { FIELD_KIND, FIELD_WIDGET, ORDER, RENDER_STATUS, RENDER_TYPE } from '../../openapi/schemas/words.ts';

const changed = orNull(time(''), 'When it last changed, in milliseconds since the epoch; null until it has.');
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

const urlOrNull = (description: string): Schema => ({ type: ['string', 'null'], format: 'uri', description });

const FILE = object('A file of a render.', {
  variant: text('Which variant of the video; `master` is the one that is always there.'),
  content_type: text('Its media type.'),
  size_bytes: count('Its size.'),
  width: count('In pixels.'),
  height: count('In pixels.'),
  duration_ms: count('How long it plays, in milliseconds.'),
  url: {
    ...{ type: 'string', format: 'uri' },
    description: 'Opens this file alone, for reading, for a limited time (`SIGNED_URL_LIFETIME_S`), without a session.',
  },
});

const PROJECT = {
  id: PROJECT_ID,
  name: text('What it is called.'),
  team_id: TEAM_ID,
  version: count('The newest version; 0 while there is none.'),
  created_by: orNull(USER_ID, 'The user who created it; null where no user did.'),
  created_at: time('When it was created'),
  updated_at: changed,
  thumbnail_url: urlOrNull('A signed URL of a still of the project; null until one has been made.'),
};

const RENDER = {
  id: RENDER_ID,
  name: text('What it is called.'),
  status: shared('RenderStatus', 'How far it is.'),
  type: shared('RenderType', 'Where it is rendered.'),
  project_id: PROJECT_ID,
  template_id: textOrNull('The template; null where the project is rendered as it stands.'),
  created_by: orNull(USER_ID, 'The user whose key created it; null where the key is of no user.'),
  created_at: time('When it was created'),
  updated_at: changed,
  failed_as: textOrNull('The code of its failure; null where it has not failed.'),
};

const LOGGED_EVENT = object('A record of the log, and what the fold said of it.', {
  topic: text('Where the log has it.'),
  partition: count('Likewise.'),
  offset: count('Likewise.'),
  at: time('When it was appended'),
  type: text('What it says: `RenderRequested`, `RenderCompleted` and the like.'),
  verdict: { type: 'string', enum: ['accepted', 'ignored'], description: 'Whether it changed anything.' },
  reason: textOrNull('Why it was ignored; null where it was accepted.'),
  status: {
    type: ['string', 'null'],
    description: 'The status that it led to; null where the status stayed.',
  },
  actor: textOrNull(
    'Who appended it: `key:key_…`, `user:user_…`, or a part of the service; null for a request that was ignored, whose key may be of another team.',
  ),
  event_id: text('Its id.'),
  attempt_id: textOrNull('The attempt that it is of; null where it is of none.'),
});

const ATTEMPT = object('An attempt of a worker.', {
  n: { type: 'integer', minimum: 1, description: 'Counts the attempts.' },
  worker_id: text('The worker.'),
  lost: textOrNull('Why it was lost; null where it was not.'),
  finished: { type: 'boolean', description: 'Whether everything was rendered.' },
});

export const RENDER_SCHEMAS: Readonly<Record<string, Schema>> = {
  RenderStatus: RENDER_STATUS,
  RenderType: RENDER_TYPE,
  Order: ORDER,
  Transition: TRANSITION,
  Project: object('A project.', PROJECT),
  ProjectPage: pageOf('Project', 'One page of the projects of a team.'),
  RenderInShort: object('A render in short.', RENDER),
  ListedRender: object('A render in a list.', {
    ...RENDER,
    poster_url: urlOrNull('A signed URL of the still that stands for it; null until it is complete.'),
  }),
  RenderFiles: object('The files of a render.', {
    files: { type: 'array', items: FILE, description: 'A video for each variant; none until the render is complete.' },
    poster_url: urlOrNull('A signed URL of the still that stands for it; null until it is complete.'),
  }),
  RenderEvents: object('The records of a render, in the order of the log.', {
    data: {
      ...{ type: 'array', items: LOGGED_EVENT },
      description: 'All that were accepted, and the first that were ignored.',
    },
    ignored_count: count('How many were ignored in all.'),
  }),
  RenderDeliveries: object('The webhook deliveries of a render.', {
    data: {
      ...{ type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/ListedDelivery' } },
      description: 'Those that are kept, the last one first; 100 at most.',
    },
  }),
  RequestedRender: object('What was asked for.', {
    name: text('What it is called.'),
    project_id: PROJECT_ID,
    template_id: textOrNull('The template; null where the project is rendered as it stands.'),
    values: {
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'By the keys of the fields; null where they are no longer there.',
    },
    draft: { type: 'boolean', description: 'Whether a draft was asked for.' },
  }),
  ErasedRender: object('What is left of a render that was erased.', {
    id: text('Its id.'),
    name_in_log: {
      type: 'boolean',
      description: 'Whether its name stays in the log: it was requested before names were kept outside.',
    },
  }),
  ErasedProject: object('What is left of a project that was erased.', {
    id: text('Its id.'),
    texts_in_log: {
      type: ['boolean', 'null'],
      description:
        'Whether its names and its first documents stay in the log: it was made before they were kept outside. Null where that cannot be told any more.',
    },
  }),
  RenderRequest: RENDER_REQUEST,
  Values: VALUES,
  Template: TEMPLATE,
  TemplateField: TEMPLATE_FIELD,
  FieldKind: FIELD_KIND,
  FieldWidget: FIELD_WIDGET,
  TemplateList: wholeList('Template', "The templates of a project, in the project's order."),
  RenderPage: pageOf('ListedRender', 'One page of the renders of a project or a team.'),
  RenderWithTransitions: object('A render, and what became of it.', {
    ...RENDER,
    project_version: count('The version of the project that is rendered.'),
    reserved_credits: count('Credits that are held back for it.'),
    charged_credits: count('Credits that it has cost.'),
    variants: { type: 'array', items: { type: 'string' }, description: 'The variants of the video that are there.' },
    attempts: { type: 'array', items: ATTEMPT, description: 'In their order.' },
    transitions: {
      ...{ type: 'array', items: { $ref: '#/components/schemas/Transition' } },
      description: 'Every change of status, in its order.',
    },
  }),
};
