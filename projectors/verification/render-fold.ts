import type { RenderEvent, RenderRequested } from '../../domain/render/events.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import { type BatchEntry, describeRecord } from '../../platform/processor/decode-batch.ts';
import { auditDocument } from '../../read-models/audit/codec.ts';
import type { AuditDocument } from '../../read-models/audit/documents.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { LedgerDocument, RenderDocument } from '../../read-models/renders/documents.ts';
import { queryFields, tokensOf } from '../../read-models/renders/query-fields.ts';
import type { StatisticsDocument } from '../../read-models/statistics/documents.ts';
import type { FoldedDocument } from '../render/document.ts';
import { foldBatch } from '../render/fold-batch.ts';
import { addCredits, creditsOf, ledgerId, NO_CREDITS, type RenderCredits } from '../render/ledger.ts';
import type { RequestName } from '../render/names.ts';
import { statisticsAfter, statisticsId } from '../render/statistics.ts';

export type RunFoldResult = {
  readonly touched: readonly FoldedDocument[];
  readonly audit: readonly AuditDocument[];
  readonly status: readonly RenderFactAccepted[];
  readonly quarantined: readonly string[];
  readonly late: readonly { readonly render_id: string; readonly offset: number }[];
};

/** Folds a partition of renders from the log. The caller drops compared renders, which limits the memory. */
export type RenderFold = {
  readonly add: (entries: readonly BatchEntry<RenderEvent>[]) => RunFoldResult;
  /** Drops a compared render, except if it has got more events since the comparison. */
  readonly drop: (document: FoldedDocument) => void;
  readonly documents: () => readonly FoldedDocument[];
  readonly ledger: () => ReadonlyMap<string, LedgerDocument>;
  readonly statistics: () => ReadonlyMap<string, StatisticsDocument>;
};

/** Placeholder for a name that the log does not have in clear text. */
const UNREAD: RequestName = { name: '', salt: '' };

export const createRenderFold = (partition: number, form: DocumentForm): RenderFold => {
  const documents = new Map<string, FoldedDocument>();
  const dropped = new Set<string>();
  const dropped_credits = new Map<string, RenderCredits>();
  const ledger_offsets = new Map<string, number>();
  const statistics = new Map<string, StatisticsDocument>();

  return {
    add: (entries) => {
      const isLate = (entry: BatchEntry<RenderEvent>): boolean =>
        entry.tag === 'event' && dropped.has(entry.event.render_id);
      const own = entries.filter((entry) => !isLate(entry));
      const { after, stop } = foldBatch(documents, own, () => UNREAD);
      if (stop !== null) throw new Error(`cannot fold on: ${stop}`);
      for (const [id, document] of after.documents) documents.set(id, document);
      for (const { account_id, offset } of after.ledger.values()) ledger_offsets.set(account_id, offset);
      for (const change of after.statistics) {
        const now = statisticsAfter(statistics.get(statisticsId(change)) ?? null, change);
        statistics.set(now._id, now);
      }
      return {
        touched: [...after.documents.values()],
        audit: after.audit.map((entry) => form.audit(auditDocument(entry))),
        status: after.status.map(({ record }) => record),
        quarantined: own.flatMap(({ tag, record }) => (tag === 'poison' ? [describeRecord(record)] : [])),
        late: entries.flatMap((entry) =>
          entry.tag === 'event' && isLate(entry)
            ? [{ render_id: entry.event.render_id, offset: entry.record.offset }]
            : [],
        ),
      };
    },

    drop: (document) => {
      const { _id, render } = document;
      if (documents.get(_id) !== document) return;
      if (render !== null) {
        const before = dropped_credits.get(render.account_id) ?? NO_CREDITS;
        dropped_credits.set(render.account_id, addCredits(before, creditsOf(render)));
      }
      documents.delete(_id);
      dropped.add(_id);
    },

    documents: () => [...documents.values()],

    // Computed differently from the projector, which adds differences: this sums the credits of all folded renders.
    ledger: () => {
      const credits = new Map(dropped_credits);
      for (const { render } of documents.values())
        if (render !== null)
          credits.set(render.account_id, addCredits(credits.get(render.account_id) ?? NO_CREDITS, creditsOf(render)));
      return new Map(
        Array.from(ledger_offsets, ([account_id, offset]) => {
          const _id = ledgerId(account_id, partition);
          return [_id, { _id, account_id, partition, offset, ...(credits.get(account_id) ?? NO_CREDITS) }];
        }),
      );
    },

    statistics: () => statistics,
  };
};

/** The request of a render whose name is not read yet; otherwise null. */
export const requestLackingName = ({ name, facts }: FoldedDocument): RenderRequested | null => {
  if (name !== UNREAD.name) return null;
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested') return stored.fact;
  return null;
};

export const completeDocument = (
  folded: FoldedDocument,
  named: RequestName | null,
  form: DocumentForm,
): RenderDocument => {
  const formed = (document: FoldedDocument): RenderDocument => ({
    ...document,
    ...form.renderMembers(document),
    search: form.renderTokens(document, tokensOf(document)),
  });
  if (requestLackingName(folded) === null) return formed(folded);
  const own = { name: named?.name ?? null, name_salt: named?.salt ?? null };
  return formed({ ...folded, ...own, ...queryFields({ render: folded.render, ...own }) });
};
