import type { Collection, Db } from 'mongodb';
import { COLLECTIONS } from './collections.ts';

/** `quarantine`: a record that is no event of its topic; `_id` is `<topic>/<partition>/<offset>`. */
export type QuarantineDocument = {
  readonly _id: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly reason: string;
  readonly key_base64: string | null;
  readonly value_base64: string | null;
  readonly found_at: Date;
};

export type Quarantine = Collection<QuarantineDocument>;

export const quarantineCollection = (db: Db): Quarantine => db.collection(COLLECTIONS.quarantine);

export type QuarantinedRecord = Omit<QuarantineDocument, 'key_base64' | 'value_base64'>;

export const listQuarantine = async (
  db: Db,
  topic: string | null,
  limit: number,
): Promise<readonly QuarantinedRecord[]> =>
  await quarantineCollection(db)
    .find(topic === null ? {} : { topic }, { projection: { key_base64: 0, value_base64: 0 } })
    .sort({ found_at: -1 })
    .limit(limit)
    .toArray();

export const findQuarantined = async (db: Db, id: string): Promise<QuarantineDocument | null> =>
  await quarantineCollection(db).findOne({ _id: id });
