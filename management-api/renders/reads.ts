import * as E from 'fp-ts/lib/Either.js';
import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { type OutputUrlPolicy, signedOutput, signedPoster } from '../../platform/blob-store/signed-output.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import type { Thumbnail, Thumbnails } from '../../read-models/catalogue/thumbnails.ts';
import { filterIdentity, type List, pageBody } from '../../read-models/page.ts';
import { absentRenderError } from '../../read-models/renders/absent-render.ts';
import type { RenderFinder } from '../../read-models/renders/render-finder.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import type { CancelRender } from '../../render-commands/cancel-render.ts';
import type { RequestRender } from '../../render-commands/requesting/request-render.ts';
import {
  MAX_SEARCHED_PROJECTS,
  Project,
  ProjectRendersQuery,
  RenderFile,
  RenderWithTransitions,
  TeamProjectsQuery,
  TeamRendersQuery,
  teamTemplates,
} from '../../schemas/http/management/renders.ts';
import { transitionsResource } from '../../schemas/http/public/transitions-resource.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { unavailableWhileBuilding } from '../answers/being-made.ts';
import { NO_PROJECT, projectInTeam } from './project-in-team.ts';
import { NO_RENDER, renderInTeam } from './render-in-team.ts';
import { renderSummary } from './shown-render.ts';

export type RenderRouteDependencies = RouteDependencies & {
  readonly renders: Pick<
    Renders,
    'find' | 'findAll' | 'page' | 'areSearchable' | 'areListedByTeam' | 'teamPage' | 'pageOfProjects' | 'progress'
  >;
  readonly findRender: RenderFinder;
  readonly cancel: CancelRender;
  readonly requestRender: RequestRender;
  readonly blobs: BlobStore;
  readonly output_policy: OutputUrlPolicy;
  readonly thumbnails: Thumbnails;
  readonly documents: ProjectDocuments;
  readonly catalogue: Pick<Catalogue, 'projectsPage' | 'areProjectsSearchable'>;
};

/** The renders as lists show them. */
export const shownRenders = async (
  { blobs, output_policy, read_model }: Pick<RenderRouteDependencies, 'blobs' | 'output_policy' | 'read_model'>,
  renders: readonly Render[],
) => {
  const names = await read_model.projectNames(renders.map(({ project_id }) => project_id));
  return await Promise.all(
    renders.map(async (render) => ({
      ...renderSummary(render),
      project_name: names.get(render.project_id) ?? null,
      poster_url: await signedPoster(blobs, render, output_policy),
    })),
  );
};

const thumbnailMembers = (thumbnail: Thumbnail | undefined) => ({
  thumbnail_url: thumbnail?.url ?? null,
  thumbnail_version: thumbnail?.version ?? null,
});

export const listTeamProjects =
  ({ catalogue, thumbnails, readPage }: RenderRouteDependencies): TeamHandler =>
  async ({ query }, { team }) => {
    const request = TeamProjectsQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const list: List<NamedProject> = {
      ...{ endpoint: 'projects', scope: team.id, status: null },
      areSearchable: catalogue.areProjectsSearchable,
      read: (from, count) => catalogue.projectsPage({ ...request.right, team_id: team.id }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    const stills = await thumbnails(team.account_id, page.right.elements);
    const data = page.right.elements.map((project) =>
      Project.encode({ ...project, ...thumbnailMembers(stills.get(project.id)) }),
    );
    return E.right({ status: 200, body: pageBody(data, page.right) });
  };

export const getTeamProject =
  (parts: RenderRouteDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const project = await projectInTeam(parts, team.id, params.project_id ?? '');
    if (project === null) return E.left(NO_PROJECT);
    const stills = await parts.thumbnails(team.account_id, [project]);
    return E.right({
      status: 200,
      body: Project.encode({ ...project, ...thumbnailMembers(stills.get(project.id)) }),
    });
  };

export const listProjectTemplates =
  (parts: RenderRouteDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const project = await projectInTeam(parts, team.id, params.project_id ?? '');
    if (project === null) return E.left(NO_PROJECT);
    const { id, version } = project;
    const data = version === 0 ? [] : teamTemplates(id, await parts.documents(id, version));
    return E.right({ status: 200, body: { data } });
  };

export const listProjectRenders =
  (parts: RenderRouteDependencies): TeamHandler =>
  async ({ params, query }, { team }) => {
    const { renders, readPage } = parts;
    const request = ProjectRendersQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { project_id = '' } = params;
    if ((await projectInTeam(parts, team.id, project_id)) === null) return E.left(NO_PROJECT);
    const list: List<Render> = {
      ...{ endpoint: 'renders', scope: project_id, status: filterIdentity(request.right) },
      areSearchable: renders.areSearchable,
      read: (from, count) => renders.page({ ...request.right, project_id }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(await shownRenders(parts, page.right.elements), page.right) });
  };

const BEING_PREPARED = unavailableWhileBuilding('the list of renders is being rebuilt from the log');

const newestProjects = async (
  { catalogue }: Pick<RenderRouteDependencies, 'catalogue'>,
  team_id: string,
): Promise<readonly string[]> => {
  const found = await catalogue.projectsPage({ team_id, search: null, order: 'desc' }, null, MAX_SEARCHED_PROJECTS);
  return found.map(({ element }) => element.id);
};

export const listTeamRenders =
  (parts: RenderRouteDependencies): TeamHandler =>
  async ({ query }, { team }) => {
    const { renders, readPage } = parts;
    const request = TeamRendersQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { search, template_id, ...filter } = request.right;
    if (!(await renders.areListedByTeam())) return E.left(BEING_PREPARED);
    const read: List<Render>['read'] = async (from, count) => {
      if (search === null && template_id === null)
        return await renders.teamPage({ team_id: team.id, ...filter }, from, count);
      const project_ids = await newestProjects(parts, team.id);
      return await renders.pageOfProjects({ project_ids, search, template_id, ...filter }, from, count);
    };
    const list: List<Render> = {
      ...{ endpoint: 'team_renders', scope: team.id, status: filterIdentity(request.right), read },
      areSearchable: renders.areSearchable,
    };
    const page = await readPage(list, withNewestFirstOrder(request.right));
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(await shownRenders(parts, page.right.elements), page.right) });
  };

/** Waits for a render that was requested a moment ago. */
export const getTeamRender =
  ({ renders, findRender }: RenderRouteDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const reach = { account_id: team.account_id, teams: new Set([team.id]) };
    const found = await findRender(params.render_id ?? '', reach);
    if (found.tag !== 'found') return E.left(absentRenderError(found, 'render_id'));
    const { render, events } = found;
    const live = render.status === 'processing' ? await renders.progress(render.id) : null;
    const variants = render.outputs.map(({ variant }) => variant);
    const { data: transitions } = transitionsResource(render, events, live);
    return E.right({
      status: 200,
      body: RenderWithTransitions.encode({ ...render, ...renderSummary(render), variants, transitions }),
    });
  };

export const getRenderFiles =
  ({ renders, blobs, output_policy }: RenderRouteDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const found = await renderInTeam(renders, team.id, params.render_id ?? '');
    if (found === null) return E.left(NO_RENDER);
    const { render } = found;
    const urls = (await signedOutput(blobs, render, output_policy)) ?? {};
    const files = render.outputs.flatMap((output) => {
      const url = urls[output.variant];
      return url === undefined ? [] : [RenderFile.encode({ ...output, url })];
    });
    return E.right({ status: 200, body: { files, poster_url: await signedPoster(blobs, render, output_policy) } });
  };
