import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { Thumbnails } from '../../read-models/catalogue/thumbnails.ts';
import { projectResource } from '../../schemas/http/public/projects.ts';
import { notFoundError } from '../absent.ts';

export const getProject =
  (projects: Projects, thumbnails: Thumbnails): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await projects(params.id ?? '', access);
    if (found === null) return notFoundError('project', 'id');
    const { project, team } = found;
    const body = projectResource(
      project,
      team,
      (await thumbnails(access.account_id, [project])).get(project.id)?.url ?? null,
    );
    return E.right({ status: 200, body, headers: { 'Cache-Control': 'private, no-store' } });
  };
