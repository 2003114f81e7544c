import type { Db } from 'mongodb';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * A file of a project. Projects with the same bytes have a file each.
 *
 * `name` is the hash of an asset, or that of `documentName`.
 */
export type StoredFile = { readonly project_id: string; readonly name: string; readonly size_bytes: number };

/** The name of the document of a version. Two requests for the same version count one file. */
export const documentName = (version: number): string => `v${version}`;

export const isDocumentFile = ({ name }: Pick<StoredFile, 'name'>): boolean => name.startsWith('v');

/** `stored_files`: `_id` is `<project>/<name>`. Belongs to no generation, because the log does not name the files. */
type StoredFileDocument = {
  readonly _id: string;
  readonly account_id: string;
  readonly project_id: string;
  readonly size_bytes: number;
};

/** `stored_bytes`: the sum of the files of an account, whose id is `_id`. An account may have millions of files. */
type StoredBytesDocument = { readonly _id: string; readonly bytes: number };

/** Files that count against the limit of their account. All functions reject on timeout or store outage. */
export type StoredFiles = {
  /** The files that are not counted yet. */
  readonly uncounted: (files: readonly StoredFile[]) => Promise<readonly StoredFile[]>;
  /** A file that is counted already stays as it is. */
  readonly add: (account_id: string, files: readonly StoredFile[]) => Promise<void>;
  readonly remove: (account_id: string, files: readonly StoredFile[]) => Promise<void>;
  readonly bytesOf: (account_id: string) => Promise<number>;
  readonly removeAllOfProject: (project_id: string) => Promise<void>;
  readonly removeAllOf: (account_id: string) => Promise<void>;
  /** Accounts with a sum, in the order of their ids. @param after null for the beginning */
  readonly accounts: (after: string | null, limit: number) => Promise<readonly string[]>;
  /** Corrects the sum, which differs if a process ended between the change of a file and that of the sum. */
  readonly recount: (account_id: string) => Promise<void>;
};

export const STORED_FILE_INDEXES: Indexes = new Map([
  [COLLECTIONS.stored_files, [{ key: { account_id: 1, size_bytes: 1 } }, { key: { project_id: 1 } }]],
  [COLLECTIONS.stored_bytes, []],
]);

const FILES_AT_ONCE = 1_000;
const RECOUNT_TIMEOUT_MS = 60_000;

const idOf = ({ project_id, name }: Pick<StoredFile, 'project_id' | 'name'>): string => `${project_id}/${name}`;

const sumOf = (files: readonly Pick<StoredFile, 'size_bytes'>[]): number =>
  files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);

export const openStoredFiles = (db: Db): StoredFiles => {
  const stored = db.collection<StoredFileDocument>(COLLECTIONS.stored_files);
  const sums = db.collection<StoredBytesDocument>(COLLECTIONS.stored_bytes);

  const change = async (_id: string, bytes: number): Promise<void> => {
    if (bytes !== 0) await withWriteTimeout(sums.updateOne({ _id }, { $inc: { bytes } }, { upsert: true }));
  };

  const bytesOf = async (_id: string): Promise<number> => (await sums.findOne({ _id }, queryTimeout()))?.bytes ?? 0;

  /** Removes these files, unless another process has removed them. */
  const removeFound = async (files: readonly StoredFileDocument[]): Promise<void> => {
    for (const [account_id, own] of Map.groupBy(files, (file) => file.account_id)) {
      const ids = own.map(({ _id }) => _id);
      const { deletedCount } = await withWriteTimeout(stored.deleteMany({ _id: { $in: ids } }));
      // Another process that removes the same files has changed the sum. The recount corrects a part.
      if (deletedCount > 0) await change(account_id, -sumOf(own));
    }
  };

  return {
    uncounted: async (files) => {
      if (files.length === 0) return [];
      const found = await stored
        .find({ _id: { $in: files.map(idOf) } }, { projection: { _id: 1 }, ...queryTimeout() })
        .toArray();
      const counted = new Set(found.map(({ _id }) => _id));
      return files.filter((file) => !counted.has(idOf(file)));
    },
    add: async (account_id, files) => {
      if (files.length === 0) return;
      const writes = files.map((file) => {
        const { project_id, size_bytes } = file;
        const update = { $setOnInsert: { account_id, project_id, size_bytes } };
        return { updateOne: { filter: { _id: idOf(file) }, update, upsert: true } };
      });
      const { upsertedIds } = await withWriteTimeout(stored.bulkWrite(writes, { ordered: false }));
      const added = new Set(Object.keys(upsertedIds).map(Number));
      await change(account_id, sumOf(files.filter((_, n) => added.has(n))));
    },
    remove: async (account_id, files) => {
      if (files.length === 0) return;
      const found = await stored.find({ _id: { $in: files.map(idOf) }, account_id }, queryTimeout()).toArray();
      await removeFound(found);
    },
    bytesOf,
    removeAllOfProject: async (project_id) => {
      for (;;) {
        const found = await stored.find({ project_id }, queryTimeout()).limit(FILES_AT_ONCE).toArray();
        if (found.length === 0) return;
        await removeFound(found);
      }
    },
    removeAllOf: async (account_id) => {
      await withWriteTimeout(stored.deleteMany({ account_id }));
      await withWriteTimeout(sums.deleteOne({ _id: account_id }));
    },
    accounts: async (after, limit) => {
      const found = await sums
        .find({ _id: { $gt: after ?? '' } }, { projection: { _id: 1 }, ...queryTimeout() })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    recount: async (account_id) => {
      const before = await bytesOf(account_id);
      const [sum] = await stored
        .aggregate<{ readonly bytes: number }>(
          [{ $match: { account_id } }, { $group: { _id: null, bytes: { $sum: '$size_bytes' } } }],
          queryTimeout(RECOUNT_TIMEOUT_MS),
        )
        .toArray();
      await change(account_id, (sum?.bytes ?? 0) - before);
    },
  };
};
