import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { inTime } from '../in-time.ts';

/** A deletion that waits for an operator. */
export type DeletionAlarm = {
  /** The outputs are of renders that ended by then, ms. */
  readonly until: number;
  /** Renders that would lose their outputs, of all completed ones with outputs. */
  readonly renders: number;
  readonly of: number;
  /** When a sweep last raised it, ms by its trusted time. */
  readonly at: number;
};

/** Outputs of renders of the account that ended by `until` (ms) may be deleted. */
export type OutputDeletion = { readonly until: number; readonly alarm: DeletionAlarm | null };

/** `output_deletions`: of each account whose outputs expire, from their first sweep on. */
export type OutputDeletionDocument = OutputDeletion & { readonly _id: string };

/** Both reject while the store does not answer. */
export type OutputDeletions = {
  readonly load: (account_id: string) => Promise<OutputDeletion | null>;
  /** `until` never decreases: several sweeps, and an operator, may have raised it since it was loaded. */
  readonly save: (account_id: string, deletion: OutputDeletion) => Promise<void>;
};

const collection = (db: Db) => db.collection<OutputDeletionDocument>(COLLECTIONS.output_deletions);

export const outputDeletions = (db: Db): OutputDeletions => ({
  load: async (_id) => await collection(db).findOne({ _id }, queryTimeout()),
  save: async (_id, { until, alarm }) => {
    await inTime(collection(db).updateOne({ _id }, { $max: { until }, $set: { alarm } }, { upsert: true }));
  },
});

export type HeldDeletion = DeletionAlarm & { readonly account_id: string };

/** A running sweep raises its alarms again each day. */
const RAISED_MS = 3 * 86_400_000;

/**
 * The deletions that wait for an operator.
 *
 * @param now ms
 */
export const heldDeletions = async (db: Db, now: number): Promise<readonly HeldDeletion[]> => {
  const found = await collection(db).find({}, queryTimeout()).toArray();
  return found
    .flatMap(({ _id: account_id, until, alarm }) =>
      alarm === null || alarm.until <= until ? [] : [{ account_id, ...alarm }],
    )
    .filter(({ at }) => at > now - RAISED_MS)
    .toSorted((one, other) => one.account_id.localeCompare(other.account_id));
};

/** Approves what the operator has seen. False if another sweep has raised another alarm since, or no alarm is left. */
export const approveDeletion = async (db: Db, { account_id, until }: HeldDeletion): Promise<boolean> => {
  const { matchedCount } = await collection(db).updateOne(
    { _id: account_id, 'alarm.until': until },
    { $set: { until, alarm: null } },
  );
  return matchedCount === 1;
};
