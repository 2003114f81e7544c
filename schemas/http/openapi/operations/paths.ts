import type { RoutePath } from '../../routes.ts';
import type { PathItem } from '../form.ts';
import { getDocs, getDocsFile, getOpenApi } from './documentation.ts';
import { getProject, getTemplate, listProjects, listTemplates } from './projects.ts';
import { createRender, getRender, listRenders, listTransitions } from './renders.ts';
import { getTeam, getUser, listMembers, listTeams } from './teams.ts';

/** The operations of every path of the table of routes. */
export const PATHS: Readonly<Record<RoutePath, PathItem>> = {
  '/v1/renders': { post: createRender, get: listRenders },
  '/v1/renders/{id}': { get: getRender },
  '/v1/renders/{id}/transitions': { get: listTransitions },
  '/v1/templates': { get: listTemplates },
  '/v1/templates/{template_id}': { get: getTemplate },
  '/v1/projects': { get: listProjects },
  '/v1/projects/{id}': { get: getProject },
  '/v1/teams': { get: listTeams },
  '/v1/teams/{id}': { get: getTeam },
  '/v1/users': { get: listMembers },
  '/v1/users/{id}': { get: getUser },
  '/v1/openapi.json': { get: getOpenApi },
  '/v1/docs': { get: getDocs },
  '/v1/docs/{file}': { get: getDocsFile },
};
