import type { RenderEvent } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import type { RenderDocument } from '../../schemas/read-models/render-document.ts';
import { describe, type Judged } from '../checkpoint/judge.ts';
import type { Folded } from '../checkpoint/projection.ts';
import { documentAfter } from './document.ts';
import { type StatusToPublish, statusToPublish } from './status-record.ts';

/** Documents by render id. */
export type Documents = ReadonlyMap<string, RenderDocument>;

export type FoldedRenders = {
  /** Documents that changed, as they are after the batch. */
  readonly documents: Documents;
  /** One for each accepted fact, in log order. */
  readonly status: readonly StatusToPublish[];
};

/**
 * Folds a run of one partition. Pure: no clock, no store.
 *
 * @param before documents of the renders that the entries name; a render without one is new
 * @param entries in log order, without a gap
 */
export const foldBatch = (before: Documents, entries: readonly Judged<RenderEvent>[]): Folded<FoldedRenders> => {
  const documents = new Map<string, RenderDocument>();
  const status: StatusToPublish[] = [];
  const stopped = (passed: number, stop: string | null) => ({ after: { documents, status }, passed, stop });

  for (const [passed, entry] of entries.entries()) {
    if (entry.tag === 'quarantined') continue;
    const { record, event } = entry;
    const document = documents.get(event.render_id) ?? before.get(event.render_id) ?? null;
    if (document !== null && document.offset >= record.offset) {
      // The documents and the checkpoint are not of one instant: a partial restore. Only a rebuild helps.
      return stopped(passed, `${describe(record)}: the document of ${event.render_id} is ahead of the checkpoint`);
    }
    const step = foldStep(document?.render ?? null, event, record.append_time_ms);
    if (step.tag === 'unknown_version') {
      return stopped(passed, `${describe(record)}: unknown fold_version ${step.fold_version}`);
    }
    documents.set(event.render_id, documentAfter(document, record, event, step));
    if (step.tag === 'accepted') status.push(statusToPublish(record, event, step.transition, step.render));
  }
  return stopped(entries.length, null);
};
