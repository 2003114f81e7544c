import * as E from 'fp-ts/lib/Either.js';
import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { Access, AccessibleTeam } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import type { Thumbnails } from '../../read-models/catalogue/thumbnails.ts';
import { type List, type PageReader, pageBody } from '../../read-models/page.ts';
import { ProjectListQuery, projectResource } from '../../schemas/http/public/projects.ts';
import { invalidError, notFoundError } from '../absent.ts';

/** The team of the query, or the only team of the key. */
const teamOf = (team_id: string | null, { teams }: Access): E.Either<ApiError, AccessibleTeam> => {
  if (team_id !== null) {
    const named = teams.get(team_id);
    return named === undefined ? notFoundError('team') : E.right(named);
  }
  const [only, ...others] = teams.values();
  if (only === undefined) return E.left(invalidError('team_id: is required, as this key reaches no team'));
  if (others.length === 0) return E.right(only);
  const ids = [...teams.keys()].join(', ');
  return E.left(invalidError(`team_id: is required, as this key reaches several teams: ${ids}`));
};

export const listProjects =
  (
    catalogue: Pick<Catalogue, 'areProjectsSearchable' | 'projectsPage'>,
    thumbnails: Thumbnails,
    readPage: PageReader,
  ): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = ProjectListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidError(request.left));
    // The team is checked before the cursor, so that a key cannot probe cursors of other teams.
    const team = teamOf(request.right.team_id, access);
    if (E.isLeft(team)) return team;
    const { id: team_id } = team.right;
    const list: List<NamedProject> = {
      ...{ endpoint: 'projects', scope: team_id, status: null },
      areSearchable: catalogue.areProjectsSearchable,
      read: (from, count) => catalogue.projectsPage({ ...request.right, team_id }, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    const stills = await thumbnails(access.account_id, page.right.elements);
    const data = page.right.elements.map((project) =>
      projectResource(project, team.right, stills.get(project.id) ?? null),
    );
    return E.right({
      status: 200,
      body: pageBody(data, page.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
