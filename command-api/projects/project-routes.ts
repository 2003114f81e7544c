import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ProjectRouteDependencies } from './project-writer.ts';
import { copyProject, eraseProject, postProject, postVersion, renameProject } from './write-projects.ts';

export const projectRoutes = (
  parts: ProjectRouteDependencies,
): readonly (readonly [path: string, handler: AuthenticatedHandler])[] => [
  ['/v1/projects', postProject(parts)],
  ['/v1/projects/{id}/versions', postVersion(parts)],
  ['/v1/projects/{id}/rename', renameProject(parts)],
  ['/v1/projects/{id}/copy', copyProject(parts)],
  ['/v1/projects/{id}/erase', eraseProject(parts)],
];
