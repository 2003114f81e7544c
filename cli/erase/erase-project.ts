import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import { eraseProject } from '../../catalogue/erasures.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { Render } from '../../domain/render/render.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { ProjectRenders } from '../../read-models/renders/project-renders.ts';
import { projectPrefix } from '../../schemas/blobs/paths.ts';
import type { CommandContext } from '../commands/command.ts';
import { openErasuresText } from './erasures-under-way.ts';
import { waitUntilErased } from './is-finished.ts';
import { unpuncturedText } from './unpunctured-text.ts';

const REQUEST_MS = 30_000;
const MAX_COUNTED = 1_000;

/** Finds the remaining renders and files of a project or an account. */
export type RemainingDataSources = {
  readonly find: ProjectRenders;
  readonly blobs: Pick<EvictableBlobs, 'list'>;
  /** Counts the erased renders whose keys and files `retention` has not deleted yet. */
  readonly erasuresUnderWay: (isIncluded: (render: Render) => boolean) => () => Promise<number>;
  /** The keys of all projects that Blob refused to change. */
  readonly countUnpunctured: () => Promise<number>;
};

export type ProjectErasureAnswer = {
  readonly id: string;
  readonly repeated?: true;
  readonly renders_and_files: 'erased' | 'being_erased';
  readonly texts_in_log: boolean | null;
  /** Erased texts of all projects that are still readable, because Blob refuses to change the files with their keys. */
  readonly unpunctured_seals?: number;
};

const IN_LOG = 'by an older version of the service. These copies cannot be deleted (docs/privacy.md).';

export const erasedProjectText = (answer: ProjectErasureAnswer): string => {
  const { id, repeated, renders_and_files, texts_in_log, unpunctured_seals = 0 } = answer;
  return [
    repeated === true
      ? `${id} is already erased; nothing changed.`
      : `${id} is erased: the API answers 404 for it, and no list contains it.`,
    renders_and_files === 'erased'
      ? 'Its renders are erased, and the keys of their texts, its documents, assets and thumbnails are deleted.'
      : 'Some of its renders, keys and files are not erased yet. The "retention" process continues in the background. Repeat the command to see its progress.',
    ...(unpunctured_seals > 0 ? [unpuncturedText(unpunctured_seals)] : []),
    ...(texts_in_log === true
      ? [`Its names and the documents of its first versions were written to the log ${IN_LOG}`]
      : []),
    ...(texts_in_log === null ? [`If it is old, its names and documents were written to the log ${IN_LOG}`] : []),
  ].join('\n');
};

export const remainingRendersText = async (find: ProjectRenders, id: string): Promise<string | null> => {
  const renders = await find(id, null, MAX_COUNTED);
  if (renders.length === 0) return null;
  const count = renders.length === MAX_COUNTED ? `${MAX_COUNTED} or more` : String(renders.length);
  const running = renders.filter(({ has_ended }) => !has_ended).length;
  const waiting = running === 0 ? '' : `, ${running} of which have not ended`;
  return `renders of ${id} that are not erased yet: ${count}${waiting}`;
};

export const remainingFilesText = async (
  blobs: Pick<EvictableBlobs, 'list'>,
  prefix: string,
  id: string,
): Promise<string | null> => {
  const { found } = await blobs.list(prefix, null, AbortSignal.timeout(REQUEST_MS));
  return found.length === 0 ? null : `files of ${id} are being deleted`;
};

const restOf = ({ find, blobs, erasuresUnderWay }: RemainingDataSources, id: string) => {
  const erasuresText = openErasuresText(
    id,
    erasuresUnderWay(({ project_id }) => project_id === id),
  );
  return async (): Promise<string | null> =>
    (await remainingRendersText(find, id)) ??
    (await erasuresText()) ??
    (await remainingFilesText(blobs, projectPrefix(id), id));
};

export const eraseProjectAndWait = async (
  context: CommandContext,
  catalogue: CatalogueWriter,
  rest: RemainingDataSources,
  id: string,
): Promise<E.Either<CatalogueFault, ProjectErasureAnswer>> => {
  const done = await eraseProject(catalogue, id, null);
  if (E.isLeft(done)) return done;
  const { repeated, texts_in_log } = done.right;
  const is_erased = await waitUntilErased(context, id, restOf(rest, id));
  const unpunctured_seals = is_erased ? await rest.countUnpunctured() : 0;
  return E.right({
    ...{ id, ...(repeated ? { repeated } : {}), renders_and_files: is_erased ? 'erased' : 'being_erased' },
    ...{ texts_in_log, ...(unpunctured_seals > 0 ? { unpunctured_seals } : {}) },
  });
};
