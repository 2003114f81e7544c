import { auditDocument } from '../../read-models/audit/codec.ts';
import type { AuditEntry } from '../../read-models/audit/documents.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { WriteOperation } from './projection.ts';

/** An insert, so a record that already has an entry aborts the transaction. */
export const auditWrite = (form: Pick<DocumentForm, 'audit'>, entry: AuditEntry): WriteOperation => ({
  insertOne: { document: form.audit(auditDocument(entry)) },
});
