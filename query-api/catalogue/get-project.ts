import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import { projectResource } from '../../schemas/http/catalogue-resources.ts';
import { absent } from './absent.ts';

/** GET /v1/projects/{id} */
export const getProject =
  (projects: Projects): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await projects(params.id ?? '', access);
    if (found === null) return absent('project');
    const body = projectResource(found.project, found.team, null);
    return E.right({ status: 200, body, headers: { 'Cache-Control': 'private, no-store' } });
  };
