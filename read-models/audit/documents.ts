import type { AuditReach, AuditTold } from '../../domain/audit/audited.ts';
import type { AuditKind } from '../../domain/audit/kinds.ts';

/** Place of a record in the log. */
export type RecordPlace = { readonly topic: string; readonly partition: number; readonly offset: number };

/** Who changed what, when, and by which record of the log. */
export type AuditEntry = AuditReach &
  AuditTold &
  RecordPlace & {
    /** Append time of the record, ms since the epoch. */
    readonly at: number;
    readonly kind: AuditKind;
    /** As the log has it: `user:user_…`, `key:key_…`, `operator:<role>`, `preparer:…`, `relay:…`. */
    readonly actor: string;
    readonly event_id: string;
    /** Why the fold ignored the record; null if it accepted it. */
    readonly refused: string | null;
  };

/**
 * `audit_g<generation>` of the catalogue and `render_audit_g<generation>`: `_id` is `<topic>/<partition>/<offset>`, so
 * a record has one entry at most.
 */
export type AuditDocument = AuditEntry & {
  readonly _id: string;
  /** `<13-digit at><topic>/<partition>/<13-digit offset>`: orders entries of all collections. */
  readonly position: string;
  /** The lists that it is in, see `auditTokens`. */
  readonly lists: readonly string[];
};

type Source = RecordPlace & { readonly append_time_ms: number };

/** Members of an entry that every record has. */
export const entryHead = (
  { topic, partition, offset, append_time_ms: at }: Source,
  { actor, event_id }: { readonly actor: string; readonly event_id: string },
): RecordPlace & Pick<AuditEntry, 'at' | 'actor' | 'event_id'> => ({ topic, partition, offset, at, actor, event_id });
