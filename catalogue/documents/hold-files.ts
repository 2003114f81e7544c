import * as E from 'fp-ts/lib/Either.js';
import { DOCUMENT_RESERVE_BYTES, storedBytesFault, type UploadLimits } from '../../domain/uploads/limits.ts';
import { isDocumentFile, type StoredFile, type StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { storedTotals, type UploadFault } from '../uploads/create-upload.ts';

export type HoldFilesDependencies = {
  readonly stored_files: Pick<StoredFiles, 'uncounted' | 'add' | 'remove' | 'bytesOf'>;
  readonly uploads: Pick<Uploads, 'totals'>;
  readonly limits: UploadLimits;
};

/** The files of an account that count against its limit. */
export type AccountFiles = {
  /**
   * Counts files before a project gets them. Files that the project has already change nothing.
   *
   * @returns the files that were not counted before; on the left if the account would exceed its limit
   */
  readonly hold: (files: readonly StoredFile[]) => Promise<E.Either<UploadFault, readonly StoredFile[]>>;
  /** Files that no project got. */
  readonly release: (files: readonly StoredFile[]) => Promise<void>;
};

/** Accounts erase something first, so a client should not try again soon. */
const RETRY_AFTER_S = 60;

/** Counts first, and takes it back above the limit: concurrent requests cannot exceed it together. */
export const openAccountFiles = (parts: HoldFilesDependencies, account_id: string): AccountFiles => {
  const { stored_files, limits } = parts;
  const faultWith = async (more_bytes: number, bytes: number): Promise<UploadFault | null> => {
    const { uploads, project_bytes } = await storedTotals(parts, account_id);
    const fault = storedBytesFault({ uploads, project_bytes: project_bytes + more_bytes }, { ...limits, bytes });
    return fault === null ? null : { tag: 'too_many', message: fault.message, retry_after_s: RETRY_AFTER_S };
  };
  return {
    hold: async (files) => {
      const more = await stored_files.uncounted(files);
      if (more.length === 0) return E.right([]);
      const most = limits.bytes + (more.every(isDocumentFile) ? DOCUMENT_RESERVE_BYTES : 0);
      const more_bytes = more.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
      const before = await faultWith(more_bytes, most);
      if (before !== null) return E.left(before);
      await stored_files.add(account_id, more);
      const after = await faultWith(0, most);
      if (after === null) return E.right(more);
      await stored_files.remove(account_id, more);
      return E.left(after);
    },
    release: (files) => stored_files.remove(account_id, files),
  };
};
