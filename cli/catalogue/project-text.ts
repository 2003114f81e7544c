import type { DocumentSummary } from '../http/project-answers.ts';
import type { RemoteProject } from '../http/projects.ts';
import { tableText, timeText } from '../table.ts';

export const projectsText = (projects: readonly RemoteProject[]): string => {
  // Lists of the API have no versions.
  const has_versions = projects.some(({ version }) => version !== null);
  return tableText(
    ['id', 'name', 'team', ...(has_versions ? ['version'] : []), 'created'],
    projects.map(({ id, name, team_id, version, created_at }) => [
      ...[id, name, team_id],
      ...(has_versions ? [version] : []),
      timeText(created_at),
    ]),
  );
};

export const projectText = (project: RemoteProject): string => projectsText([project]);

/** `name` and `document_sha256` are null over the API, `added_by` is absent without it. */
export type ShownVersion = {
  readonly version: number;
  readonly name: string | null;
  readonly document_sha256: string | null;
  readonly created_at: number;
  readonly added_by?: string | null;
};

export const versionsText = (versions: readonly ShownVersion[]): string =>
  versions.some(({ added_by }) => added_by !== undefined)
    ? tableText(
        ['version', 'added', 'added by'],
        versions.map(({ version, created_at, added_by }) => [version, timeText(created_at), added_by ?? null]),
      )
    : tableText(
        ['version', 'name', 'added', 'SHA-256 of the document'],
        versions.map(({ version, name, created_at, document_sha256 }) => [
          ...[version, name, timeText(created_at), document_sha256],
        ]),
      );

export type ShownProject = RemoteProject & { readonly document: DocumentSummary | null };

export const documentText = ({ document, ...project }: ShownProject): string => {
  if (document === null)
    return `${projectText(project)}\n\nThe project has no versions yet; import one with "renderctl project import FOLDER --project ${project.id}".`;
  const compositions = document.compositions.map(({ id, width, height, duration, layers }) => [
    id === document.main_composition_id ? `${id} (main)` : id,
    `${width}x${height}`,
    `${duration} s`,
    layers.length,
  ]);
  const fields = document.templates.flatMap((template) =>
    template.fields.map((field) => [template.id, field.key, field.kind, field.default_value]),
  );
  return [
    projectText(project),
    tableText(['composition', 'size', 'length', 'layers'], compositions),
    ...(fields.length === 0 ? [] : [tableText(['template', 'field', 'kind', 'default value'], fields)]),
  ].join('\n\n');
};
