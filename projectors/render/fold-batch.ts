import type { RenderEvent } from '../../domain/render/events.ts';
import { type FoldStep, foldStep } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import { type BatchEntry, describeRecord } from '../../platform/processor/decode-batch.ts';
import type { AuditEntry } from '../../read-models/audit/documents.ts';
import type { IgnoredSeal } from '../../read-models/renders/ignored-seals.ts';
import { tokensOf } from '../../read-models/renders/query-fields.ts';
import type { FoldResult } from '../checkpoint/projection.ts';
import { auditEntriesOf } from './audit-entries.ts';
import { documentAfter, type FoldedDocument } from './document.ts';
import { type LedgerChanges, ledgerAfter } from './ledger.ts';
import type { RequestNameLookup } from './names.ts';
import { type StatisticsChange, statisticsChanges } from './statistics.ts';
import { type StatusToPublish, statusToPublish } from './status-record.ts';

export type Documents = ReadonlyMap<string, FoldedDocument>;

export type FoldedRenderBatch = {
  readonly documents: Documents;
  readonly created: ReadonlySet<string>;
  /**
   * Search tokens by render id, only of created or erased renders, because the tokens of others never change. Empty if
   * the render is hidden.
   */
  readonly search: ReadonlyMap<string, readonly string[]>;
  readonly status: readonly StatusToPublish[];
  readonly ledger: LedgerChanges;
  /** Requests to cancel or erase, also refused ones. */
  readonly audit: readonly AuditEntry[];
  readonly statistics: readonly StatisticsChange[];
  /** Keys of ignored requests, so that retention punctures them. */
  readonly ignored_seals: readonly IgnoredSeal[];
};

/**
 * The producer may repeat the record of the accepted request. The repeat has the same key, which must not be punctured.
 *
 * @param render before the event
 */
const ignoredSeal = (event: RenderEvent, step: FoldStep, render: Render | null): readonly IgnoredSeal[] => {
  if (step.tag !== 'ignored' || event.type !== 'RenderRequested' || event.sealed === null) return [];
  const { tree, leaf } = event.sealed;
  const accepted = render?.sealed ?? null;
  return accepted?.tree === tree && accepted.leaf === leaf ? [] : [{ account_id: event.account_id, tree, leaf }];
};

const NO_NAME: RequestNameLookup = () => null;

/**
 * Pure: no clock, no store.
 *
 * @param before documents of the renders in the entries; a render without one is new
 * @param entries of one partition, in log order, without a gap
 */
export const foldBatch = (
  before: Documents,
  entries: readonly BatchEntry<RenderEvent>[],
  nameOf: RequestNameLookup = NO_NAME,
): FoldResult<FoldedRenderBatch> => {
  const documents = new Map<string, FoldedDocument>();
  const created = new Set<string>();
  const status: StatusToPublish[] = [];
  const search = new Map<string, readonly string[]>();
  const audit: AuditEntry[] = [];
  const statistics = statisticsChanges();
  const ignored_seals: IgnoredSeal[] = [];
  let ledger: LedgerChanges = new Map();
  const stopped = (passed: number, stop: string | null) => ({
    after: { documents, created, search, status, ledger, audit, statistics: statistics.all(), ignored_seals },
    passed,
    stop,
  });

  for (const [passed, entry] of entries.entries()) {
    if (entry.tag === 'poison') continue;
    const { record, event } = entry;
    const document = documents.get(event.render_id) ?? before.get(event.render_id) ?? null;
    if (document !== null && document.offset >= record.offset) {
      // After a partial restore, the documents and the checkpoint are from different times. Only a rebuild helps.
      return stopped(
        passed,
        `${describeRecord(record)}: the document of ${event.render_id} is ahead of the checkpoint`,
      );
    }
    const step = foldStep(document?.render ?? null, event, record.append_time_ms);
    if (step.tag === 'unknown_version') {
      const stop = `${describeRecord(record)}: unknown fold_version ${step.fold_version}`;
      return { ...stopped(passed, stop), by_newer_code: true };
    }
    const after = documentAfter(document, record, event, step, nameOf);
    documents.set(event.render_id, after);
    if (document === null) created.add(event.render_id);
    const is_new = document === null || (document.render === null && after.render !== null);
    const is_erased = event.type === 'RenderErased' && step.tag === 'accepted';
    if (is_new || is_erased) search.set(event.render_id, tokensOf(after));
    audit.push(...auditEntriesOf(record, event, step, after.render));
    ignored_seals.push(...ignoredSeal(event, step, document?.render ?? null));
    ledger = ledgerAfter(ledger, record, event, document?.render ?? null, after.render);
    if (step.tag !== 'accepted') continue;
    const { transition, render } = step;
    if (transition !== null) statistics.add(record, { transition, render, facts: after.facts });
    status.push(statusToPublish(record, event, transition, document?.render ?? null, render));
  }
  return stopped(entries.length, null);
};
