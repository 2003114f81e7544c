import * as E from 'fp-ts/lib/Either.js';
import type { Collection, Db } from 'mongodb';
import type { Project } from '../../domain/catalogue/entities.ts';
import type { Access, ReachedTeam } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { type ProjectDocumentRow, projectOf } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import type { ServingGeneration } from '../../read-models/generations.ts';
import { listPosition } from '../../read-models/position.ts';
import { projectResource } from '../../schemas/http/catalogue-resources.ts';
import { decodeProjectListRequest } from '../../schemas/http/list-request.ts';
import { absent, invalid } from '../absent.ts';
import { listOf, type Source, searchable } from '../lists/list.ts';
import { type PageReader, pageBody } from '../lists/page.ts';
import type { Thumbnails } from './thumbnails.ts';

/** The team that is named, or the only one that is reached. */
const teamOf = (team_id: string | null, { teams }: Access): E.Either<ApiError, ReachedTeam> => {
  if (team_id !== null) {
    const named = teams.get(team_id);
    return named === undefined ? absent('team') : E.right(named);
  }
  const [only, ...others] = teams.values();
  if (only === undefined) return E.left(invalid('team_id: is required, as this key reaches no team'));
  if (others.length === 0) return E.right(only);
  const ids = [...teams.keys()].join(', ');
  return E.left(invalid(`team_id: is required, as this key reaches several teams: ${ids}`));
};

/** All but what a project is found by. */
const SHOWN = { search: 0 };

const sourceOf = (projects: Collection<ProjectDocumentRow>, team_id: string): Source<Project> => ({
  endpoint: 'projects',
  scope: team_id,
  status: null,
  date: { field: 'by_team', prefix: team_id },
  own: { team_id },
  shown: SHOWN,
  read: async (pipeline, time) => {
    const found = await projects.aggregate<Omit<ProjectDocumentRow, 'search'>>(pipeline, time).toArray();
    return found.map((document) => ({
      position: listPosition(document.created_at, document._id),
      element: projectOf({ ...document, search: [] }),
    }));
  },
});

/** GET /v1/projects: each project as the read of that one shows it, those without a version too. */
export const listProjects =
  (
    db: Db,
    serving: () => Promise<ServingGeneration>,
    thumbnails: Thumbnails,
    readPage: PageReader,
  ): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = decodeProjectListRequest(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    // Before the cursor is looked at: whoever does not reach the team learns nothing by trying cursors.
    const team = teamOf(request.right.team_id, access);
    if (E.isLeft(team)) return team;
    const current = await serving();
    const ready = searchable(request.right, current);
    if (E.isLeft(ready)) return ready;
    const { entities } = catalogueCollections(current.generation);
    const projects = db.collection<ProjectDocumentRow>(entities.project);
    const page = await readPage(listOf(sourceOf(projects, team.right.id), request.right), request.right);
    if (E.isLeft(page)) return page;
    const stills = await thumbnails(page.right.elements);
    const data = page.right.elements.map((project) =>
      projectResource(project, team.right, stills.get(project.id) ?? null),
    );
    return E.right({
      status: 200,
      body: pageBody(data, page.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
