import type { Db } from 'mongodb';
import { createIndexes, type Indexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * `device_sign_ins`: a sign-in of a program in progress; `_id` is the SHA-256 of the provider's device code, which is not
 * stored. Expires.
 */
type DeviceSignInDocument = {
  readonly _id: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** The minimum time between two requests for the result, ms. */
  readonly interval_ms: number;
  readonly next_poll_at: number;
  readonly until: Date;
};

export type DeviceSignIn = Omit<DeviceSignInDocument, '_id' | 'until'>;

/** `ask`: the caller may ask the provider now. `wait`: the last request was too recent. */
export type PollTurn =
  | { readonly tag: 'ask' | 'wait'; readonly interval_ms: number; readonly created_at: number }
  | { readonly tag: 'over' };

/** All functions reject on timeout or store outage. */
export type DeviceSignIns = {
  readonly prepare: () => Promise<void>;
  /** False, and nothing is stored, if there are too many sign-ins. */
  readonly begin: (code_sha256: string, sign_in: DeviceSignIn) => Promise<boolean>;
  /** Gives the turn to at most one caller per interval. */
  readonly takeTurn: (code_sha256: string, now: number) => Promise<PollTurn>;
  readonly slowDown: (code_sha256: string, interval_ms: number, now: number) => Promise<void>;
  /** @returns whether this call ended the sign-in */
  readonly end: (code_sha256: string) => Promise<boolean>;
};

const INDEXES: Indexes = new Map([[COLLECTIONS.device_sign_ins, [{ key: { until: 1 }, expireAfterSeconds: 0 }]]]);

const MAX_DEVICE_SIGN_INS = 10_000;

export const openDeviceSignIns = (db: Db): DeviceSignIns => {
  const sign_ins = db.collection<DeviceSignInDocument>(COLLECTIONS.device_sign_ins);
  return {
    prepare: () => createIndexes(db, INDEXES),
    begin: async (_id, sign_in) => {
      if ((await withWriteTimeout(sign_ins.estimatedDocumentCount())) >= MAX_DEVICE_SIGN_INS) return false;
      await withWriteTimeout(sign_ins.insertOne({ _id, ...sign_in, until: new Date(sign_in.expires_at) }));
      return true;
    },
    takeTurn: async (_id, now) => {
      const found = await sign_ins.findOne({ _id, expires_at: { $gt: now } }, queryTimeout());
      if (found === null) return { tag: 'over' };
      const { interval_ms, next_poll_at, created_at } = found;
      if (now < next_poll_at) return { tag: 'wait', interval_ms, created_at };
      const change = { $set: { next_poll_at: now + interval_ms } };
      const { modifiedCount } = await withWriteTimeout(sign_ins.updateOne({ _id, next_poll_at }, change));
      return { tag: modifiedCount === 1 ? 'ask' : 'wait', interval_ms, created_at };
    },
    slowDown: async (_id, interval_ms, now) => {
      const change = { $set: { interval_ms, next_poll_at: now + interval_ms } };
      await withWriteTimeout(sign_ins.updateOne({ _id }, change));
    },
    end: async (_id) => (await withWriteTimeout(sign_ins.deleteOne({ _id }))).deletedCount === 1,
  };
};
