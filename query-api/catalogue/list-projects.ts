import * as E from 'fp-ts/lib/Either.js';
import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import type { Thumbnails } from '../../read-models/catalogue/thumbnails.ts';
import { type List, type PageReader, pageBody } from '../../read-models/page.ts';
import { ProjectListQuery, projectResource } from '../../schemas/http/public/projects.ts';

export const listProjects =
  (
    catalogue: Pick<Catalogue, 'areProjectsSearchable' | 'projectsPage'>,
    thumbnails: Thumbnails,
    readPage: PageReader,
  ): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = ProjectListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    // The team is checked before the cursor, so that a key cannot probe cursors of other teams.
    const team = teamOfKey(request.right.team_id, access);
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
      projectResource(project, team.right, stills.get(project.id)?.url ?? null),
    );
    return E.right({
      status: 200,
      body: pageBody(data, page.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
