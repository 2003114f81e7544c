import { projectVersionId } from '../../domain/catalogue/entities.ts';
import type { ProjectFilesSnapshot, ProjectVersionRef } from '../../read-models/catalogue/project-files.ts';
import { PROJECTS_PATH, type ProjectFile, projectFileAt } from '../../schemas/blobs/paths.ts';
import { type LeftoverSweepDependencies, leftoverSweep } from '../sweeps/leftover-sweep.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ProjectFileSweepDependencies = LeftoverSweepDependencies & {
  readonly foldedFiles: (
    project_ids: readonly string[],
    versions: readonly ProjectVersionRef[],
  ) => Promise<ProjectFilesSnapshot>;
};

/**
 * Whether a file is left over. A file stays if the event that names it is not known, because its payload was missing.
 *
 * @param before ms; thumbnails that were replaced after this time stay
 */
const isLeftOver = (
  path: string,
  file: ProjectFile,
  before: number,
  { projects, documents }: ProjectFilesSnapshot,
): boolean => {
  const project = projects.get(file.project_id);
  // The project was never created: its event was not appended.
  if (project === undefined) return true;
  // The sweep of erased projects deletes these files.
  if (project.is_erased) return false;
  if (file.kind === 'document' && file.version > project.version) return true;
  // A former thumbnail stays for some time, because clients may have URLs of it.
  if (file.kind === 'thumbnail')
    return project.thumbnail !== null && project.thumbnail.path !== path && project.thumbnail.made_at < before;
  const named =
    file.kind === 'document' ? (documents.get(projectVersionId(file.project_id, file.version)) ?? null) : project.name;
  return named !== null && named !== path;
};

/** Deletes names and documents whose event was never appended or lost a conflict, and replaced thumbnails. */
export const projectFileSweep = ({ foldedFiles, ...parts }: ProjectFileSweepDependencies): Sweep =>
  leftoverSweep<ProjectFile, ProjectFilesSnapshot>(
    {
      ...{ name: 'project_files', kind: 'projects', prefix: PROJECTS_PATH, placeOf: projectFileAt },
      folded: (old) =>
        foldedFiles(
          [...new Set(old.map(({ place }) => place.project_id))],
          old.flatMap(({ place }) => (place.kind === 'document' ? [place] : [])),
        ),
      isLeftOver: ({ path, place }, folded, before) => isLeftOver(path, place, before, folded),
      not_removed: 'a file that no project has cannot be removed',
    },
    parts,
  );
