import type { AffectedTenants, AuditDetails } from '../../domain/audit/audited.ts';
import type { AuditKind } from '../../domain/audit/kinds.ts';

export type RecordPlace = { readonly topic: string; readonly partition: number; readonly offset: number };

export type AuditEntry = AffectedTenants &
  AuditDetails &
  RecordPlace & {
    readonly at: number;
    readonly kind: AuditKind;
    /** As in the log: `user:user_…`, `key:key_…`, `operator:<role>`, `preparer:…`, `relay:…`. */
    readonly actor: string;
    readonly event_id: string;
    /** Why the fold ignored the record; null if the fold accepted it. */
    readonly refused: string | null;
  };

/**
 * `audit_g<generation>` of the catalogue, and `render_audit_g<generation>`. `_id` is `<topic>/<partition>/<offset>`, so
 * a record has at most one entry.
 */
export type AuditDocument = AuditEntry & {
  readonly _id: string;
  /** `<13-digit at><topic>/<partition>/<13-digit offset>`: orders the entries of all collections. */
  readonly position: string;
  readonly lists: readonly string[];
};

type Source = RecordPlace & { readonly append_time_ms: number };

export const auditEntryHead = (
  { topic, partition, offset, append_time_ms: at }: Source,
  { actor, event_id }: { readonly actor: string; readonly event_id: string },
): RecordPlace & Pick<AuditEntry, 'at' | 'actor' | 'event_id'> => ({ topic, partition, offset, at, actor, event_id });
