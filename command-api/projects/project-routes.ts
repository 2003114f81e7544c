import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { PublicRoute } from '../../schemas/http/public/contract.ts';
import { type CheckDependencies, postCheck } from './check-project.ts';
import { copyProject, eraseProject, postProject, postVersion, renameProject } from './write-projects.ts';

export const projectRoutes = (
  parts: CheckDependencies,
): readonly (readonly [route: PublicRoute, handler: AuthenticatedHandler])[] => [
  ['POST /v1/projects', postProject(parts)],
  ['POST /v1/projects/check', postCheck(parts)],
  ['POST /v1/projects/{id}/versions', postVersion(parts)],
  ['POST /v1/projects/{id}/rename', renameProject(parts)],
  ['POST /v1/projects/{id}/copy', copyProject(parts)],
  ['POST /v1/projects/{id}/erase', eraseProject(parts)],
];
