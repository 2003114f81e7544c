import * as E from 'fp-ts/lib/Either.js';
import type { Project } from '../../domain/catalogue/entities.ts';
import type { Render } from '../../domain/render/render.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import { type List, pageBody } from '../../read-models/page.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import type { CancelRender } from '../../render-commands/cancel-render.ts';
import { decodePageRequest, decodeStatusRequest, decodeTeamRendersRequest } from '../../schemas/http/list-request.ts';
import {
  listedRenderResource,
  managedRenderResource,
} from '../../schemas/http/management/resources/managed-render-resource.ts';
import { transitionsResource } from '../../schemas/http/transitions-resource.ts';
import type { Commands } from '../access/commands.ts';
import type { TeamHandler } from '../access/doors.ts';
import { isLookedUp } from '../access/reach.ts';

/** What the routes of projects and renders need. */
export type RenderParts = Commands & {
  readonly renders: Pick<Renders, 'find' | 'page' | 'areSearchable' | 'areListedByTeam' | 'teamPage' | 'progress'>;
  readonly cancel: CancelRender;
  readonly catalogue: Pick<Catalogue, 'projectsPage' | 'areProjectsSearchable'>;
};

const projectResource = ({ id, name, team_id, version, created_by, created_at, updated_at }: Project) => {
  return { id, name, team_id, version, created_by, created_at, updated_at };
};

const RETRY_AFTER_S = 5;

const invalid = (message: string): ApiError => ({ tag: 'invalid', message });
const NO_PROJECT: ApiError = { tag: 'not_found', message: 'there is no such project' };
const NO_RENDER: ApiError = { tag: 'not_found', message: 'there is no such render' };

/** GET /manage/v1/teams/{team_id}/projects */
export const listTeamProjects =
  ({ catalogue, readPage }: RenderParts): TeamHandler =>
  async ({ query }, { team }) => {
    const request = decodePageRequest(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    const list: List<Project> = {
      ...{ endpoint: 'projects', scope: team.id, status: null },
      areSearchable: catalogue.areProjectsSearchable,
      read: (from, count) => catalogue.projectsPage({ ...request.right, team_id: team.id }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(page.right.elements.map(projectResource), page.right) });
  };

/** GET …/projects/{project_id}/renders */
export const listProjectRenders =
  ({ read_model, renders, readPage }: RenderParts): TeamHandler =>
  async ({ params, query }, { team }) => {
    const request = decodeStatusRequest(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    const { project_id = '' } = params;
    const project = isLookedUp(project_id) ? await read_model.find('project', project_id) : null;
    if (project?.team_id !== team.id) return E.left(NO_PROJECT);
    const list: List<Render> = {
      ...{ endpoint: 'renders', scope: project_id, status: request.right.status },
      areSearchable: renders.areSearchable,
      read: (from, count) => renders.page({ ...request.right, project_id }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(page.right.elements.map(listedRenderResource), page.right) });
  };

const BEING_PREPARED: ApiError = {
  tag: 'unavailable',
  message: 'the renders of teams are being prepared for this list, after an upgrade; try again later',
  retry_after_s: RETRY_AFTER_S,
};

/** GET /manage/v1/teams/{team_id}/renders: of all its projects, the newest first. */
export const listTeamRenders =
  ({ renders, readPage }: RenderParts): TeamHandler =>
  async ({ query }, { team }) => {
    const request = decodeTeamRendersRequest(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    const { status } = request.right;
    if (!(await renders.areListedByTeam())) return E.left(BEING_PREPARED);
    const list: List<Render> = {
      ...{ endpoint: 'team_renders', scope: team.id, status },
      areSearchable: async () => true,
      read: (from, count) => renders.teamPage({ team_id: team.id, status }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(page.right.elements.map(listedRenderResource), page.right) });
  };

/** GET …/renders/{render_id}: with every change of status. */
export const getTeamRender =
  ({ renders }: RenderParts): TeamHandler =>
  async ({ params }, { team }) => {
    const { render_id = '' } = params;
    const found = isLookedUp(render_id) ? await renders.find(render_id) : null;
    const render = found?.render ?? null;
    if (found === null || render === null || render.team_id !== team.id) return E.left(NO_RENDER);
    const live = render.status === 'processing' ? await renders.progress(render.id) : null;
    const { data: transitions } = transitionsResource(render, found.facts, live);
    return E.right({ status: 200, body: { ...managedRenderResource(render), transitions } });
  };
