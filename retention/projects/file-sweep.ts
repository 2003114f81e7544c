import { projectVersionId } from '../../domain/catalogue/entities.ts';
import type { FoldedProjectFiles, ProjectVersionRef } from '../../read-models/catalogue/project-files.ts';
import { PROJECTS_PATH, type ProjectFile, projectFileAt } from '../../schemas/blobs/paths.ts';
import { type LeftoverParts, leftoverSweep } from '../sweeps/leftover-sweep.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ProjectFileSweepParts = LeftoverParts & {
  readonly foldedFiles: (
    project_ids: readonly string[],
    versions: readonly ProjectVersionRef[],
  ) => Promise<FoldedProjectFiles>;
};

/**
 * Whether no event names the file, or none any more, in a catalogue that is folded as far as the log goes. Where the
 * catalogue does not know what an event named, as the payload was not there when it was read, the file stays.
 *
 * @param before what was replaced since (ms) is not left over yet
 */
const isLeftOver = (
  path: string,
  file: ProjectFile,
  before: number,
  { projects, documents }: FoldedProjectFiles,
): boolean => {
  const project = projects.get(file.project_id);
  // Never created: its event did not come.
  if (project === undefined) return true;
  // Another sweep has all of it.
  if (project.is_erased) return false;
  if (file.kind === 'document' && file.version > project.version) return true;
  // URLs of it were given until another one was shown.
  if (file.kind === 'thumbnail')
    return project.thumbnail !== null && project.thumbnail.path !== path && project.thumbnail.made_at < before;
  const named =
    file.kind === 'document' ? (documents.get(projectVersionId(file.project_id, file.version)) ?? null) : project.name;
  return named !== null && named !== path;
};

/**
 * Names and documents of projects that were stored for an event which never came, or which another one was faster with, and
 * thumbnails that a newer one has replaced.
 */
export const projectFileSweep = ({ foldedFiles, ...parts }: ProjectFileSweepParts): Sweep =>
  leftoverSweep<ProjectFile, FoldedProjectFiles>(
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
