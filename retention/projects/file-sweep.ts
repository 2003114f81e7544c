import { projectVersionId } from '../../domain/catalogue/entities.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { FoldedProjectFiles, ProjectVersionRef } from '../../read-models/catalogue/project-files.ts';
import { PROJECTS_PATH, type ProjectFile, projectFileAt } from '../../schemas/blobs/paths.ts';
import { requestSignal } from '../sweeps/list-pages.ts';
import { NOTHING_REMOVED, plus } from '../sweeps/progress.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ProjectFileSweepParts = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  /** Offset of the next event of the catalogue, asked for now. */
  readonly catalogueEnd: () => Promise<number>;
  readonly foldedFiles: (
    project_ids: readonly string[],
    versions: readonly ProjectVersionRef[],
  ) => Promise<FoldedProjectFiles>;
  /** Of what no event names, ms. */
  readonly leftovers_ms: number;
  readonly clock: Clock;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;
const MOST_AT_ONCE = 500;

/**
 * Whether no event names the file, or none any more, in a catalogue that is folded as far as the log goes. Where the
 * catalogue does not know what an event named, as the payload was not there when it was read, the file stays.
 *
 * @param before what was replaced since (ms) is not left over yet
 */
export const isLeftOver = (
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
 * thumbnails that a newer one has replaced. What was stored an age ago has its event in the log, if there is one, and the
 * catalogue must be folded to the log's end of now.
 */
export const projectFileSweep = (parts: ProjectFileSweepParts): Sweep => {
  const { blobs, catalogueEnd, foldedFiles, leftovers_ms, clock, warn } = parts;
  return {
    name: 'project_files',
    every_ms: DAY_MS,
    page: async (from, signal) => {
      const { found, next } = await blobs.list(PROJECTS_PATH, from, requestSignal(signal));
      const before = clock.now() - leftovers_ms;
      const old = found.flatMap((blob) => {
        const file = projectFileAt(blob.path);
        return file === null || blob.stored_at > before ? [] : [{ ...blob, file }];
      });
      if (old.length === 0) return { next, removed: {} };
      const end = await catalogueEnd();
      let removed = NOTHING_REMOVED;
      for (let begin = 0; begin < old.length; begin += MOST_AT_ONCE) {
        const some = old.slice(begin, begin + MOST_AT_ONCE);
        const versions = some.flatMap(({ file }) => (file.kind === 'document' ? [file] : []));
        const folded = await foldedFiles([...new Set(some.map(({ file }) => file.project_id))], versions);
        if (folded.next < end) throw new Error(`the catalogue is folded up to ${folded.next} of ${end}`);
        const going = some.filter(({ path, file }) => isLeftOver(path, file, before, folded));
        const gone = await removeBlobs(blobs, going, signal, (path, error) =>
          warn({ error, path }, 'a file that no project has cannot be removed'),
        );
        removed = plus(removed, gone);
      }
      return { next, removed: removed.removed === 0 ? {} : { projects: removed } };
    },
  };
};
