import type { Values } from '../../domain/composition/values.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import { ignoredNames } from '../../platform/http-server/ignored-names.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';

export const ignoredValues = (fields: readonly string[], values: Values): string | null =>
  ignoredNames(fields, Object.keys(values));

/**
 * The value of the header for ignored values. Never rejects: if the template cannot be read, the answer lacks the
 * header.
 */
export type IgnoredValues = (event: RenderRequested, values: Values) => Promise<string | null>;

export const openIgnoredValues =
  (documents: ProjectDocuments): IgnoredValues =>
  async ({ project_id, project_version, template_id }, values) => {
    if (template_id === null || Object.keys(values).length === 0) return null;
    try {
      const { templates } = await documents(project_id, project_version);
      const fields = templates.find(({ id }) => id === template_id)?.fields ?? [];
      return ignoredValues(
        fields.map(({ key }) => key),
        values,
      );
    } catch {
      return null;
    }
  };
