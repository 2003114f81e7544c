import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

export type DeletionAlarm = {
  /** The alarm is about outputs of renders that ended at or before this time, ms. */
  readonly until: number;
  readonly renders: number;
  readonly of: number;
  /** When a sweep last raised the alarm, ms by its trusted time. */
  readonly at: number;
};

/** Outputs of the account's renders that ended up to `until` (ms) may be deleted. */
export type OutputDeletion = { readonly until: number; readonly alarm: DeletionAlarm | null };

/** `output_deletions`: one document for each account whose outputs expire, from the first sweep on. */
export type OutputDeletionDocument = OutputDeletion & { readonly _id: string };

/** Both functions reject on store outage. */
export type OutputDeletions = {
  readonly load: (account_id: string) => Promise<OutputDeletion | null>;
  /** `until` never decreases: another sweep or an operator may have raised it since it was loaded. */
  readonly save: (account_id: string, deletion: OutputDeletion) => Promise<void>;
};

const collection = (db: Db) => db.collection<OutputDeletionDocument>(COLLECTIONS.output_deletions);

export const outputDeletions = (db: Db): OutputDeletions => ({
  load: async (_id) => await collection(db).findOne({ _id }, queryTimeout()),
  save: async (_id, { until, alarm }) => {
    await withWriteTimeout(collection(db).updateOne({ _id }, { $max: { until }, $set: { alarm } }, { upsert: true }));
  },
});

export type HeldDeletion = DeletionAlarm & { readonly account_id: string };

/** Older alarms are not listed, because a running sweep raises its alarms again each day. */
const RAISED_MS = 3 * 86_400_000;

export const heldDeletions = async (db: Db, now: number): Promise<readonly HeldDeletion[]> => {
  const found = await collection(db).find({}, queryTimeout()).toArray();
  return found
    .flatMap(({ _id: account_id, until, alarm }) =>
      alarm === null || alarm.until <= until ? [] : [{ account_id, ...alarm }],
    )
    .filter(({ at }) => at > now - RAISED_MS)
    .toSorted((one, other) => one.account_id.localeCompare(other.account_id));
};

/** False if a sweep has raised another alarm since, or if no alarm is left. */
export const approveDeletion = async (db: Db, { account_id, until }: HeldDeletion): Promise<boolean> => {
  const { matchedCount } = await collection(db).updateOne(
    { _id: account_id, 'alarm.until': until },
    { $set: { until, alarm: null } },
  );
  return matchedCount === 1;
};
