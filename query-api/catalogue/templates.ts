import * as E from 'fp-ts/lib/Either.js';
import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { Template } from '../../domain/composition/templates.ts';
import type { Access } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { TemplateQuery, templateResource, templateSummaryResource } from '../../schemas/http/public/templates.ts';
import { notFoundError } from '../absent.ts';

type Exposed = { readonly project: NamedProject; readonly templates: readonly Template[] };

const exposedTemplates =
  (projects: Projects, documents: ProjectDocuments) =>
  async (query: URLSearchParams, access: Access): Promise<E.Either<ApiError, Exposed>> => {
    const request = TemplateQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const found = await projects(request.right.project_id, access);
    if (found === null) return notFoundError('project', 'project_id');
    const { project } = found;
    const templates = project.version === 0 ? [] : (await documents(project.id, project.version)).templates;
    return E.right({ project, templates });
  };

const ok = (body: unknown): Reply => ({ status: 200, body, headers: { 'Cache-Control': 'private, no-store' } });

export const listTemplates = (projects: Projects, documents: ProjectDocuments): AuthenticatedHandler => {
  const exposed = exposedTemplates(projects, documents);
  const bodyOf = ({ project, templates }: Exposed) => ({
    data: templates.map((template) => templateSummaryResource(project.id, template)),
  });
  return async ({ query }, access) => E.map((found: Exposed) => ok(bodyOf(found)))(await exposed(query, access));
};

export const getTemplate = (projects: Projects, documents: ProjectDocuments): AuthenticatedHandler => {
  const exposed = exposedTemplates(projects, documents);
  return async ({ params, query }, access) => {
    const found = await exposed(query, access);
    if (E.isLeft(found)) return found;
    const { project, templates } = found.right;
    const template = templates.find(({ id }) => id === params.template_id);
    return template === undefined
      ? notFoundError('template', 'template_id')
      : E.right(ok(templateResource(project.id, template)));
  };
};
