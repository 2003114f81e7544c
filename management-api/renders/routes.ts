import type { Doors, Route } from '../access/doors.ts';
import { cancelTeamRender } from './cancel.ts';
import {
  getRenderFiles,
  getTeamRender,
  listProjectRenders,
  listTeamProjects,
  listTeamRenders,
  type RenderParts,
} from './reads.ts';

const TEAM = '/manage/v1/teams/{team_id}';

export const renderRoutes = (doors: Doors, parts: RenderParts): readonly Route[] => [
  doors.forTeamMember('GET', `${TEAM}/projects`, listTeamProjects(parts)),
  doors.forTeamMember('GET', `${TEAM}/projects/{project_id}/renders`, listProjectRenders(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders`, listTeamRenders(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}`, getTeamRender(parts)),
  doors.forTeamMember('GET', `${TEAM}/renders/{render_id}/files`, getRenderFiles(parts)),
  doors.forTeamMember('POST', `${TEAM}/renders/{render_id}/cancel`, cancelTeamRender(parts)),
];
