import { describeRecord, type PoisonEntry } from '../../platform/processor/decode-batch.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { QuarantineDocument } from '../../read-models/quarantine.ts';
import type { WriteOperation } from './projection.ts';

export const QUARANTINE_INDEXES: Indexes = new Map([[COLLECTIONS.quarantine, []]]);

const MAX_VALUE_BYTES = 64 * 1024;

export const quarantineDocument = ({ record, reason }: PoisonEntry, found_at: Date): QuarantineDocument => ({
  _id: describeRecord(record),
  topic: record.topic,
  partition: record.partition,
  offset: record.offset,
  reason,
  key_base64: record.key?.toString('base64') ?? null,
  value_base64: record.value?.subarray(0, MAX_VALUE_BYTES).toString('base64') ?? null,
  found_at,
});

/** A rebuild or a retried transaction keeps the first document. */
export const quarantineWrite = (entry: PoisonEntry, found_at: Date): WriteOperation => {
  const { _id, ...rest } = quarantineDocument(entry, found_at);
  return { updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true } };
};
