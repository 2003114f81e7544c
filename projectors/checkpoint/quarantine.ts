import type { AnyBulkWriteOperation } from 'mongodb';
import type { QuarantineDocument } from '../../schemas/read-models/render-document.ts';
import { describe, type Judged } from './judge.ts';
import type { StoredDocument } from './projection.ts';

const MOST_VALUE_BYTES = 64 * 1024;

export type Quarantined = Extract<Judged<unknown>, { tag: 'quarantined' }>;

export const quarantineDocument = ({ record, reason }: Quarantined, found_at: Date): QuarantineDocument => ({
  _id: describe(record),
  topic: record.topic,
  partition: record.partition,
  offset: record.offset,
  reason,
  key_base64: record.key?.toString('base64') ?? null,
  value_base64: record.value?.subarray(0, MOST_VALUE_BYTES).toString('base64') ?? null,
  found_at,
});

/** A repeat (a rebuild, a retried transaction) leaves what was found first. */
export const quarantineWrite = (entry: Quarantined, found_at: Date): AnyBulkWriteOperation<StoredDocument> => {
  const { _id, ...rest } = quarantineDocument(entry, found_at);
  return { updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true } };
};
