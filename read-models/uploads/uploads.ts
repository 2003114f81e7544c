import type { Db, Filter } from 'mongodb';
import type { UploadTotals } from '../../domain/uploads/limits.ts';
import type { Upload, UploadOutcome, UploadState } from '../../domain/uploads/upload.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * The process that inspects an upload. It changes `beat` while it works. Clocks of machines differ, so a claim has no
 * time: if its beat does not change for long, the process is gone.
 */
export type UploadClaim = { readonly holder: string; readonly beat: number };

/** `uploads`: belongs to no generation, because the log does not have uploads. `tries` counts inspections. */
export type UploadDocument = Omit<Upload, 'id'> & {
  readonly _id: string;
  readonly claim: UploadClaim | null;
  readonly tries: number;
};

/** The result of a fetch. `path` is the blob with the bytes. */
export type FetchedFacts = Pick<Upload, 'size_bytes' | 'content_type'> & { readonly path: string };

/** How a refused upload is fetched again. */
export type Refetch = Pick<Upload, 'size_bytes' | 'fetch' | 'updated_at' | 'expires_at'>;

export type WaitingUpload = Pick<Upload, 'id' | 'account_id' | 'state'> & { readonly claim: UploadClaim | null };

export type ClaimedUpload = { readonly upload: Upload; readonly tries: number };

/** All functions reject on timeout or store outage; a write may or may not have succeeded. */
export type Uploads = {
  /** False if the id exists. */
  readonly insert: (upload: Upload) => Promise<boolean>;
  readonly find: (id: string) => Promise<Upload | null>;
  /** A ready upload of the team with these bytes. */
  readonly findReady: (of: Pick<Upload, 'account_id' | 'team_id' | 'sha256' | 'size_bytes'>) => Promise<Upload | null>;
  readonly totals: (account_id: string) => Promise<UploadTotals>;
  /** Postpones the expiry of an upload in this state. False if it is in another state. */
  readonly keep: (id: string, state: UploadState, expires_at: number) => Promise<boolean>;
  /** False if the upload is not open. */
  readonly queue: (id: string, now: number, expires_at: number) => Promise<boolean>;
  /** Fetches a refused upload again that was decided before the time. False if it is in another state. */
  readonly refetch: (id: string, decided_before: number, change: Refetch) => Promise<boolean>;
  readonly remove: (id: string) => Promise<void>;

  /**
   * Uploads to fetch or to inspect: by account, and the longest waiting of each account first.
   *
   * @param after only accounts after this one; null for the beginning
   */
  readonly waiting: (after: string | null, limit: number) => Promise<readonly WaitingUpload[]>;
  /** Null if another process changed the claim since `seen`. */
  readonly claim: (id: string, seen: UploadClaim | null, holder: string) => Promise<ClaimedUpload | null>;
  /** False if the holder has lost the claim. */
  readonly beat: (id: string, holder: string) => Promise<boolean>;
  /** Returns the upload to the queue. */
  readonly release: (id: string, holder: string, counts_as_try: boolean) => Promise<void>;
  /** Fetched bytes wait for an inspection. False, without a change, if the holder has lost the claim. */
  readonly fetched: (id: string, holder: string, facts: FetchedFacts, now: number) => Promise<boolean>;
  /** False, without a change, if the holder has lost the claim. */
  readonly decide: (id: string, holder: string, outcome: UploadOutcome, now: number) => Promise<boolean>;
  readonly finish: (id: string, holder: string, state: 'ready' | 'refused', expires_at: number) => Promise<boolean>;
  /** `claimed` are being inspected, or were when their process ended. */
  readonly counts: () => Promise<{ readonly waiting: number; readonly claimed: number }>;

  readonly expired: (now: number, limit: number) => Promise<readonly Pick<Upload, 'id' | 'account_id'>[]>;
  /** False if it was kept in the meantime. */
  readonly removeExpired: (id: string, now: number) => Promise<boolean>;
  /** Without ids that do not exist. */
  readonly states: (ids: readonly string[]) => Promise<ReadonlyMap<string, UploadState>>;
  readonly removeAllOf: (account_id: string) => Promise<void>;
};

export const UPLOAD_INDEXES: Indexes = new Map([
  [
    COLLECTIONS.uploads,
    [
      { key: { account_id: 1 } },
      { key: { state: 1, account_id: 1, queued_at: 1 } },
      { key: { expires_at: 1 } },
      { key: { 'result.sha256': 1 }, sparse: true },
    ],
  ],
]);

const TO_INSPECT = ['fetching', 'queued', 'inspected'] as const;

const uploadOf = ({ _id, claim, tries, ...upload }: UploadDocument): Upload => ({ id: _id, ...upload });

const inspection = (db: Db) => {
  const uploads = db.collection<UploadDocument>(COLLECTIONS.uploads);
  const held = (_id: string, holder: string): Filter<UploadDocument> => ({ _id, 'claim.holder': holder });
  const hasMatched = async (write: Promise<{ readonly matchedCount: number }>): Promise<boolean> =>
    (await withWriteTimeout(write)).matchedCount === 1;
  return {
    waiting: async (after, limit) => {
      const found = await uploads
        .find(
          { state: { $in: [...TO_INSPECT] }, account_id: { $gt: after ?? '' } },
          { projection: { account_id: 1, claim: 1, state: 1 }, ...queryTimeout() },
        )
        .sort({ account_id: 1, queued_at: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id: id, account_id, claim, state }) => ({ id, account_id, claim, state }));
    },
    claim: async (_id, seen, holder) => {
      const unchanged = seen === null ? { claim: null } : { 'claim.holder': seen.holder, 'claim.beat': seen.beat };
      const found = await withWriteTimeout(
        uploads.findOneAndUpdate(
          { _id, state: { $in: [...TO_INSPECT] }, ...unchanged },
          { $set: { claim: { holder, beat: 0 } }, $inc: { tries: 1 } },
          { returnDocument: 'after' },
        ),
      );
      return found === null ? null : { upload: uploadOf(found), tries: found.tries };
    },
    beat: (id, holder) => hasMatched(uploads.updateOne(held(id, holder), { $inc: { 'claim.beat': 1 } })),
    release: async (id, holder, counts_as_try) => {
      const change = { $set: { claim: null }, $inc: { tries: counts_as_try ? 0 : -1 } };
      await withWriteTimeout(uploads.updateOne(held(id, holder), change));
    },
    fetched: (id, holder, { path, ...facts }, now) =>
      hasMatched(
        uploads.updateOne(
          { ...held(id, holder), state: 'fetching' },
          {
            $set: {
              ...{ ...facts, state: 'queued', updated_at: now, claim: null, tries: 0 },
              ...{ 'fetch.path': path, 'fetch.url': null },
            },
          },
        ),
      ),
    decide: (id, holder, outcome, now) =>
      hasMatched(
        uploads.updateOne(
          { ...held(id, holder), state: { $in: ['fetching', 'queued'] } },
          { $set: { ...outcome, state: 'inspected', updated_at: now } },
        ),
      ),
    finish: (id, holder, state, expires_at) =>
      hasMatched(
        uploads.updateOne({ ...held(id, holder), state: 'inspected' }, { $set: { state, expires_at, claim: null } }),
      ),
    counts: async () => {
      const all = { state: { $in: [...TO_INSPECT] } };
      const [waiting, claimed] = await Promise.all([
        uploads.countDocuments({ ...all, claim: null }, queryTimeout()),
        uploads.countDocuments({ ...all, claim: { $ne: null } }, queryTimeout()),
      ]);
      return { waiting, claimed };
    },
  } satisfies Partial<Uploads>;
};

export const openUploads = (db: Db): Uploads => {
  const uploads = db.collection<UploadDocument>(COLLECTIONS.uploads);
  return {
    ...inspection(db),

    insert: async ({ id, ...upload }) => {
      try {
        await withWriteTimeout(uploads.insertOne({ _id: id, ...upload, claim: null, tries: 0 }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    find: async (_id) => {
      const found = await uploads.findOne({ _id }, queryTimeout());
      return found === null ? null : uploadOf(found);
    },
    findReady: async ({ account_id, team_id, sha256, size_bytes }) => {
      const of = {
        'result.sha256': sha256,
        account_id,
        team_id,
        'result.size_bytes': size_bytes,
        state: 'ready',
      } as const;
      const found = await uploads.findOne(of, queryTimeout());
      return found === null ? null : uploadOf(found);
    },
    totals: async (account_id) => {
      const found = await uploads
        .aggregate<{ readonly _id: UploadState; readonly count: number; readonly bytes: number }>(
          [
            { $match: { account_id } },
            { $group: { _id: '$state', count: { $sum: 1 }, bytes: { $sum: '$size_bytes' } } },
          ],
          queryTimeout(),
        )
        .toArray();
      return found.map(({ _id: state, count, bytes }) => ({ state, count, bytes }));
    },
    keep: async (_id, state, expires_at) =>
      (await withWriteTimeout(uploads.updateOne({ _id, state }, { $max: { expires_at } }))).matchedCount === 1,
    queue: async (_id, now, expires_at) => {
      const change = { state: 'queued', queued_at: now, updated_at: now, expires_at } as const;
      return (await withWriteTimeout(uploads.updateOne({ _id, state: 'open' }, { $set: change }))).matchedCount === 1;
    },
    refetch: async (_id, decided_before, change) => {
      const again = { state: 'fetching', result: null, faults: [], claim: null, tries: 0 } as const;
      const written = uploads.updateOne(
        { _id, state: 'refused', updated_at: { $lt: decided_before } },
        { $set: { ...change, ...again, queued_at: change.updated_at } },
      );
      return (await withWriteTimeout(written)).matchedCount === 1;
    },
    remove: async (_id) => {
      await withWriteTimeout(uploads.deleteOne({ _id }));
    },
    expired: async (now, limit) => {
      const found = await uploads
        .find({ expires_at: { $lt: now } }, { projection: { account_id: 1 }, ...queryTimeout() })
        .limit(limit)
        .toArray();
      return found.map(({ _id: id, account_id }) => ({ id, account_id }));
    },
    removeExpired: async (_id, now) =>
      (await withWriteTimeout(uploads.deleteOne({ _id, expires_at: { $lt: now } }))).deletedCount === 1,
    states: async (ids) => {
      const found = await uploads
        .find({ _id: { $in: [...ids] } }, { projection: { state: 1 }, ...queryTimeout() })
        .toArray();
      return new Map(found.map(({ _id, state }) => [_id, state]));
    },
    removeAllOf: async (account_id) => {
      await withWriteTimeout(uploads.deleteMany({ account_id }));
    },
  };
};
