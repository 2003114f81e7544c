import type { Doors, Route } from '../access/doors.ts';
import { cancelTeamRender } from './cancel.ts';
import { getRenderRequest, listRenderDeliveries, listRenderEvents, type RenderDetailParts } from './details.ts';
import { type ErasingParts, eraseTeamRender } from './erase.ts';
import { eraseTeamProject } from './erase-project.ts';
import {
  getRenderFiles,
  getTeamProject,
  getTeamRender,
  listProjectRenders,
  listProjectTemplates,
  listTeamProjects,
  listTeamRenders,
  type RenderParts,
} from './reads.ts';
import { requestTeamRender } from './request.ts';

const TEAM = '/manage/v1/teams/{team_id}';

export const renderRoutes = (doors: Doors, parts: RenderParts & RenderDetailParts & ErasingParts): readonly Route[] => [
  doors.forTeamMember('GET', `${TEAM}/projects`, listTeamProjects(parts)),
  doors.forTeamMember('GET', `${TEAM}/projects/{project_id}`, getTeamProject(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/projects/{project_id}/erase`, eraseTeamProject(parts)),
  doors.forTeamMember('GET', `${TEAM}/projects/{project_id}/renders`, listProjectRenders(parts)),
  doors.forTeamMember('GET', `${TEAM}/projects/{project_id}/templates`, listProjectTemplates(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders`, listTeamRenders(parts)),
  doors.forTeamMember('POST', `${TEAM}/renders`, requestTeamRender(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}`, getTeamRender(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}/files`, getRenderFiles(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}/events`, listRenderEvents(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}/deliveries`, listRenderDeliveries(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}/request`, getRenderRequest(parts)),
  doors.forTeamMember('POST', `${TEAM}/renders/{render_id}/cancel`, cancelTeamRender(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/renders/{render_id}/erase`, eraseTeamRender(parts)),
];
