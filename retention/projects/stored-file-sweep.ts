import { INLINE_PREFIX } from '../../domain/catalogue/inline-projects.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { documentName, type StoredFile, type StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import { assetAt, PROJECTS_PATH, projectFileAt } from '../../schemas/blobs/paths.ts';
import { requestSignal } from '../sweeps/list-pages.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type StoredFileSweepDependencies = {
  readonly blobs: Pick<EvictableBlobs, 'list'>;
  readonly read_model: Pick<CatalogueReadModel, 'project' | 'find'>;
  readonly stored_files: Pick<StoredFiles, 'uncounted' | 'add' | 'accounts' | 'recount'>;
};

const DAY_MS = 86_400_000;
const FILES_AT_ONCE = 500;
const ACCOUNTS_OF_A_PAGE = 100;
/** Before the position of a page of accounts, which come after all files. No path begins with it. */
const ACCOUNTS = 'accounts:';

/** Null for files that do not count. */
const countedAt = (path: string): Omit<StoredFile, 'size_bytes'> | null => {
  const asset = assetAt(path);
  if (asset !== null) return { project_id: asset.project_id, name: asset.sha256 };
  const file = projectFileAt(path);
  const counts = file?.kind === 'document' && !file.project_id.startsWith(INLINE_PREFIX);
  return counts ? { project_id: file.project_id, name: documentName(file.version) } : null;
};

/**
 * Counts files of projects that are not counted yet: of earlier versions of the service, of `renderctl`, and those that
 * a restored store lacks. Then corrects the sums of all accounts.
 */
export const storedFileSweep = ({ blobs, read_model, stored_files }: StoredFileSweepDependencies): Sweep => {
  /** Null for a project that is erased, not created, or has no name yet. */
  const accountOf = async (project_id: string): Promise<string | null> => {
    const project = await read_model.project(project_id);
    const team = project === null ? null : await read_model.find('team', project.team_id);
    return team?.account_id ?? null;
  };

  const count = async (files: readonly StoredFile[], signal: AbortSignal): Promise<void> => {
    const by_project = Map.groupBy(await stored_files.uncounted(files), ({ project_id }) => project_id);
    for (const [project_id, uncounted] of by_project) {
      signal.throwIfAborted();
      const account_id = await accountOf(project_id);
      if (account_id !== null) await stored_files.add(account_id, uncounted);
    }
  };

  const recountSome = async (after: string | null, signal: AbortSignal): Promise<string | null> => {
    const accounts = await stored_files.accounts(after, ACCOUNTS_OF_A_PAGE);
    for (const account_id of accounts) {
      signal.throwIfAborted();
      await stored_files.recount(account_id);
    }
    return accounts.length < ACCOUNTS_OF_A_PAGE ? null : `${ACCOUNTS}${accounts.at(-1) ?? ''}`;
  };

  return {
    name: 'stored_files',
    every_ms: DAY_MS,
    page: async (from, signal) => {
      if (from?.startsWith(ACCOUNTS) === true)
        return { next: await recountSome(from.slice(ACCOUNTS.length) || null, signal), removed: {} };
      const { found, next } = await blobs.list(PROJECTS_PATH, from, requestSignal(signal));
      const files = found.flatMap(({ path, size_bytes }) => {
        const file = countedAt(path);
        return file === null ? [] : [{ ...file, size_bytes }];
      });
      for (let begin = 0; begin < files.length; begin += FILES_AT_ONCE)
        await count(files.slice(begin, begin + FILES_AT_ONCE), signal);
      return { next: next ?? ACCOUNTS, removed: {} };
    },
  };
};
