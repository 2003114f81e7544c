import type * as t from 'io-ts';
import type { NamedProject, Team } from '../../../domain/catalogue/entities.ts';
import { PROJECT_ID, TEAM_ID, USER_ID } from '../ids.ts';
import { ORDER_PARAMETERS, PAGE_PARAMETERS, query, SEARCH_PARAMETERS } from '../query.ts';
import { definitionsOf, object, orNull, pageOf, resource, text, time } from '../shapes.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { OPTIONAL_TEAM_PARAMETER } from './parameters.ts';
import { NO_PROJECT, NO_TEAM, PAGE_FAULTS, refusal } from './responses.ts';
import { getSamples } from './samples/code-samples.ts';

export const Project = resource('Project', 'Compositions, assets and templates, from which videos are rendered.', {
  id: PROJECT_ID,
  name: text('Its name.'),
  team: object('Its team.', { id: TEAM_ID, name: text('The name of the team.') }),
  created_by: orNull(USER_ID, 'The user who created it; null if no user did.'),
  thumbnail_url: orNull(
    text('', { format: 'uri' }),
    'A still of the project, from the newest version that was rendered. Signed, and valid for a limited time. Null until a still exists.',
  ),
  created_at: time('When it was created'),
  updated_at: orNull(time(''), 'When it last changed, in milliseconds since the epoch; null until it has.'),
});
export type Project = t.TypeOf<typeof Project>;

const ProjectPage = pageOf('ProjectPage', Project, 'One page of the projects of a team.');

export const PROJECT_SCHEMAS = definitionsOf([Project, ProjectPage]);

export const ProjectListQuery = query({
  ...OPTIONAL_TEAM_PARAMETER,
  ...PAGE_PARAMETERS,
  ...SEARCH_PARAMETERS,
  ...ORDER_PARAMETERS,
});

type ShownProject = Pick<NamedProject, 'id' | 'name' | 'created_by' | 'created_at' | 'updated_at'>;

export const projectResource = (
  project: ShownProject,
  team: Pick<Team, 'id' | 'name'>,
  thumbnail_url: string | null,
): Project => {
  const { id, name, created_by, created_at, updated_at } = project;
  return { id, name, team: { id: team.id, name: team.name }, created_by, thumbnail_url, created_at, updated_at };
};

export const PROJECT_EXAMPLE: Project = {
  id: 'proj_01KAJWZK3H',
  name: 'Spring sale',
  team: { id: 'team_01KAJWY8QD', name: 'Studio' },
  created_by: 'user_01KAJWYH5M',
  thumbnail_url: 'https://media.example.com/renders/rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C/poster.jpg?sp=r&sig=Zm9v',
  created_at: 1_763_654_400_000,
  updated_at: null,
};

export const PROJECT_PAGE_EXAMPLE = { data: [PROJECT_EXAMPLE], has_more: false, next_cursor: null };

const tag = 'Projects';

export const PROJECTS = {
  'GET /v1/projects': {
    ...{ id: 'listProjects', tag, summary: 'List the projects of a team', description: 'Newest first, in pages.' },
    parameters: ProjectListQuery.references,
    answers: {
      200: jsonResponse('One page.', ProjectPage, { example: ['The last page', PROJECT_PAGE_EXAMPLE] }),
      400: refusal('A parameter is not valid.', {
        ...PAGE_FAULTS,
        team: [
          'team_id',
          'team_id: is required, as this key reaches several teams: team_01KAJWY8QD, team_01KAJX0B7M',
          'invalid_parameter',
          'team_id',
        ],
      }),
      404: NO_TEAM,
    },
    samples: getSamples('/v1/projects?team_id={TEAM_ID}'),
  },
  'GET /v1/projects/{id}': {
    ...{ id: 'getProject', tag, summary: 'Read a project' },
    description: 'The project, with a still of its newest version that was rendered.',
    parameters: parameterRefs('ProjectId'),
    answers: {
      200: jsonResponse('The project.', Project, { example: ['A project', PROJECT_EXAMPLE] }),
      404: NO_PROJECT,
    },
    samples: getSamples('/v1/projects/{PROJECT_ID}'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
