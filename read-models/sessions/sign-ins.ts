import type { Db } from 'mongodb';
import { createIndexes, type Indexes } from '../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/** `sign_ins`: a sign-in in progress; `_id` is the SHA-256 of its state. Expires. */
type SignInDocument = {
  readonly _id: string;
  readonly browser_sha256: string;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly return_to: string;
  readonly is_fresh: boolean;
  readonly created_at: number;
  readonly until: Date;
};

export type SignIn = Omit<SignInDocument, '_id' | 'browser_sha256' | 'until'>;

/** Both functions reject on timeout or store outage. */
export type SignIns = {
  readonly prepare: () => Promise<void>;
  /** False, and nothing is stored, if there are too many sign-ins. */
  readonly begin: (state_sha256: string, browser_sha256: string, sign_in: SignIn) => Promise<boolean>;
  /** Each sign-in can be taken once, by the same browser, within ten minutes. */
  readonly take: (state_sha256: string, browser_sha256: string, now: number) => Promise<SignIn | null>;
};

const SIGN_IN_INDEXES: Indexes = new Map([[COLLECTIONS.sign_ins, [{ key: { until: 1 }, expireAfterSeconds: 0 }]]]);

export const SIGN_IN_MS = 600_000;
const MAX_SIGN_INS = 100_000;

export const openSignIns = (db: Db): SignIns => {
  const sign_ins = db.collection<SignInDocument>(COLLECTIONS.sign_ins);
  return {
    prepare: () => createIndexes(db, SIGN_IN_INDEXES),
    begin: async (_id, browser_sha256, sign_in) => {
      if ((await withWriteTimeout(sign_ins.estimatedDocumentCount())) >= MAX_SIGN_INS) return false;
      const until = new Date(sign_in.created_at + SIGN_IN_MS);
      await withWriteTimeout(sign_ins.insertOne({ _id, browser_sha256, ...sign_in, until }));
      return true;
    },
    take: async (_id, browser_sha256, now) => {
      const wanted = { _id, browser_sha256, created_at: { $gt: now - SIGN_IN_MS } };
      const found = await withWriteTimeout(sign_ins.findOneAndDelete(wanted));
      if (found === null) return null;
      const { nonce, code_verifier, return_to, is_fresh, created_at } = found;
      return { nonce, code_verifier, return_to, is_fresh, created_at };
    },
  };
};
