import type { Schema } from '../../openapi/form.ts';
import { pageOf } from '../../openapi/schemas/list.ts';
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
import { TRANSITION } from '../../openapi/schemas/transition.ts';
import { ORDER, RENDER_STATUS, RENDER_TYPE } from '../../openapi/schemas/words.ts';

const changed = orNull(time(''), 'When it last changed, in milliseconds since the epoch; null until it has.');
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

const PROJECT = {
  id: PROJECT_ID,
  name: text('What it is called.'),
  team_id: TEAM_ID,
  version: count('The newest version; 0 while there is none.'),
  created_by: orNull(USER_ID, 'The user who created it; null where no user did.'),
  created_at: time('When it was created'),
  updated_at: changed,
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
  ListedRender: object('A render in short.', RENDER),
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
