import type { KeyedPath } from '../../routes.ts';
import type { PathItem } from '../form.ts';
import { getProject, getTemplate, listProjects, listTemplates } from './projects.ts';
import { cancelRender, createRender, getRender, listRenders, listTransitions } from './renders.ts';
import { getTeam, getUser, listMembers, listTeams } from './teams.ts';

/** The operations of every path that needs a key. The others serve this document, which does not speak of itself. */
export const PATHS: Readonly<Record<KeyedPath, PathItem>> = {
  '/v1/renders': { post: createRender, get: listRenders },
  '/v1/renders/{id}': { get: getRender },
  '/v1/renders/{id}/cancel': { post: cancelRender },
  '/v1/renders/{id}/transitions': { get: listTransitions },
  '/v1/templates': { get: listTemplates },
  '/v1/templates/{template_id}': { get: getTemplate },
  '/v1/projects': { get: listProjects },
  '/v1/projects/{id}': { get: getProject },
  '/v1/teams': { get: listTeams },
  '/v1/teams/{id}': { get: getTeam },
  '/v1/users': { get: listMembers },
  '/v1/users/{id}': { get: getUser },
};
