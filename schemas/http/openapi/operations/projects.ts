import { example, PROJECT, PROJECT_PAGE, TEMPLATE, TEMPLATE_SUMMARY } from '../examples.ts';
import { type Operation, parameterRef } from '../form.ts';
import { ANYWHERE, answer, keyedRefusal, refusal } from '../responses.ts';
import { getSamples } from '../samples/code-samples.ts';

const NO_PROJECT = keyedRefusal('There is no such project, or it is not in reach of the key.', {
  absent: ['No such project', 'there is no such project'],
});

export const listProjects: Operation = {
  operationId: 'listProjects',
  tags: ['Projects'],
  summary: 'List the projects of a team',
  description: 'Newest first, a page at a time.',
  parameters: [
    parameterRef('OfAnyTeam'),
    parameterRef('Limit'),
    parameterRef('Cursor'),
    parameterRef('Search'),
    parameterRef('InOrder'),
  ],
  responses: {
    '200': answer('One page.', 'ProjectPage', example('The last page', PROJECT_PAGE)),
    ...ANYWHERE,
    '400': refusal('A parameter is not valid.', {
      limit: ['limit', 'limit: must be a whole number, 1 or more'],
      cursor: ['cursor', 'cursor: is not valid for this list; start again from the first page'],
      team: ['team_id', 'team_id: is required, as this key reaches several teams: team_01KAJWY8QD, team_01KAJX0B7M'],
    }),
    '404': keyedRefusal('There is no such team, or it is not in reach of the key.', {
      absent: ['No such team', 'there is no such team'],
    }),
  },
  'x-codeSamples': getSamples('/v1/projects?team_id={TEAM_ID}'),
};

export const getProject: Operation = {
  operationId: 'getProject',
  tags: ['Projects'],
  summary: 'Read a project',
  description: 'The project, with a still of its newest version that was rendered.',
  parameters: [parameterRef('ProjectId')],
  responses: {
    '200': answer('The project.', 'Project', example('A project', PROJECT)),
    ...ANYWHERE,
    '404': NO_PROJECT,
  },
  'x-codeSamples': getSamples('/v1/projects/{PROJECT_ID}'),
};

export const listTemplates: Operation = {
  operationId: 'listTemplates',
  tags: ['Templates'],
  summary: 'List the templates of a project',
  description: 'All of them, in the order in which the project defines them.',
  parameters: [parameterRef('OfProject')],
  responses: {
    '200': answer('All of them.', 'TemplateList', example('One template', { data: [TEMPLATE_SUMMARY] })),
    ...ANYWHERE,
    '404': NO_PROJECT,
  },
  'x-codeSamples': getSamples('/v1/templates?project_id={PROJECT_ID}'),
};

export const getTemplate: Operation = {
  operationId: 'getTemplate',
  tags: ['Templates'],
  summary: 'Read a template',
  description: 'The template with all of its fields, whose keys go into the `values` of a render.',
  parameters: [parameterRef('TemplateId'), parameterRef('OfProject')],
  responses: {
    '200': answer('The template.', 'Template', example('A template', TEMPLATE)),
    ...ANYWHERE,
    '404': keyedRefusal('There is no such project or template, or it is not in reach of the key.', {
      template: ['No such template', 'there is no such template'],
      project: ['No such project', 'there is no such project'],
    }),
  },
  'x-codeSamples': getSamples('/v1/templates/{TEMPLATE_ID}?project_id={PROJECT_ID}'),
};
