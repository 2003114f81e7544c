import type { Route, RouteGuards } from '../access/route-guards.ts';
import { type BatchDependencies, findTeamRenders, requestTeamRenders } from './batch.ts';
import { cancelTeamRender } from './cancel.ts';
import { getRenderRequest, listRenderDeliveries, listRenderEvents, type RenderDetailDependencies } from './details.ts';
import { eraseTeamRender, type TeamRenderErasureDependencies } from './erase.ts';
import { eraseTeamProject } from './erase-project.ts';
import {
  getRenderFiles,
  getTeamProject,
  getTeamRender,
  listProjectRenders,
  listProjectTemplates,
  listTeamProjects,
  listTeamRenders,
  type RenderRouteDependencies,
} from './reads.ts';
import { requestTeamRender } from './request.ts';

const TEAM = '/manage/v1/teams/{team_id}';

export const renderRoutes = (
  guards: RouteGuards,
  parts: RenderRouteDependencies & BatchDependencies & RenderDetailDependencies & TeamRenderErasureDependencies,
): readonly Route[] => [
  guards.forTeamMember('GET', `${TEAM}/projects`, listTeamProjects(parts)),
  guards.forTeamMember('GET', `${TEAM}/projects/{project_id}`, getTeamProject(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/projects/{project_id}/erase`, eraseTeamProject(parts)),
  guards.forTeamMember('GET', `${TEAM}/projects/{project_id}/renders`, listProjectRenders(parts)),
  guards.forTeamMember('GET', `${TEAM}/projects/{project_id}/templates`, listProjectTemplates(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders`, listTeamRenders(parts)),
  guards.forTeamMember('POST', `${TEAM}/renders`, requestTeamRender(parts)),
  guards.forTeamMember('POST', `${TEAM}/renders/batch`, requestTeamRenders(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/batch`, findTeamRenders(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/{render_id}`, getTeamRender(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/{render_id}/files`, getRenderFiles(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/{render_id}/events`, listRenderEvents(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/{render_id}/deliveries`, listRenderDeliveries(parts)),
  guards.forTeamMember('GET', `${TEAM}/renders/{render_id}/request`, getRenderRequest(parts)),
  guards.forTeamMember('POST', `${TEAM}/renders/{render_id}/cancel`, cancelTeamRender(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/renders/{render_id}/erase`, eraseTeamRender(parts)),
];
