import { listPosition } from '../position.ts';
import type { AuditDocument, AuditEntry } from './documents.ts';
import { auditTokens } from './tokens.ts';

const OFFSET_DIGITS = 13;

/** A pure function of the record, so a repeated fold writes the same document. */
export const auditDocument = (entry: AuditEntry): AuditDocument => {
  const { topic, partition, offset, at } = entry;
  const _id = `${topic}/${partition}/${offset}`;
  const place = `${topic}/${partition}/${String(offset).padStart(OFFSET_DIGITS, '0')}`;
  return { _id, ...entry, position: listPosition(at, place), lists: auditTokens(entry) };
};

export const entryOfDocument = ({
  _id,
  position: _position,
  lists: _lists,
  ...entry
}: Omit<AuditDocument, 'lists'> & { readonly lists?: readonly string[] }): AuditEntry => entry;
