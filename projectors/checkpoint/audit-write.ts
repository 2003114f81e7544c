import { auditDocument } from '../../read-models/audit/codec.ts';
import type { AuditEntry } from '../../read-models/audit/documents.ts';
import type { WriteOperation } from './projection.ts';

/** An entry that is there already refuses it, which ends the transaction. */
export const auditWrite = (entry: AuditEntry): WriteOperation => ({ insertOne: { document: auditDocument(entry) } });
