import type { Route, RouteGuards } from '../access/route-guards.ts';
import { type CheckDependencies, checkTeamProject, checkTeamProjectRows } from './check-project.ts';
import { listTeamStarters } from './list-starters.ts';
import { getTeamVersion, listTeamAssets, listTeamVersions } from './read-versions.ts';
import { addTeamVersion, copyTeamProject, createTeamProject, renameTeamProject } from './write-projects.ts';

const PROJECTS = '/manage/v1/teams/{team_id}/projects';

export type ProjectRouteDependencies = CheckDependencies;

export const projectRoutes = (guards: RouteGuards, parts: ProjectRouteDependencies): readonly Route[] => [
  guards.forTeamMember('GET', '/manage/v1/teams/{team_id}/starters', listTeamStarters(parts)),
  guards.forTeamMember('POST', PROJECTS, createTeamProject(parts)),
  guards.forTeamMember('POST', `${PROJECTS}/check`, checkTeamProject(parts)),
  guards.forTeamMember('POST', `${PROJECTS}/check/batch`, checkTeamProjectRows(parts)),
  guards.forTeamMember('GET', `${PROJECTS}/{project_id}/versions`, listTeamVersions(parts)),
  guards.forTeamMember('POST', `${PROJECTS}/{project_id}/versions`, addTeamVersion(parts)),
  guards.forTeamMember('GET', `${PROJECTS}/{project_id}/versions/{version}`, getTeamVersion(parts)),
  guards.forTeamMember('GET', `${PROJECTS}/{project_id}/assets`, listTeamAssets(parts)),
  guards.forTeamMember('POST', `${PROJECTS}/{project_id}/rename`, renameTeamProject(parts)),
  guards.forTeamMember('POST', `${PROJECTS}/{project_id}/copy`, copyTeamProject(parts)),
];
