import type { RenderEvent } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { FoldedDocument } from './document.ts';
import type { Documents } from './fold-batch.ts';
import { type StatusToPublish, statusToPublish } from './status-record.ts';

/** The render as it was right after the event at `offset`, from the document's own list of accepted events. */
export const renderAsOf = (document: FoldedDocument, offset: number): Render | null => {
  let render: Render | null = null;
  for (const stored of document.facts) {
    if (stored.offset > offset) break;
    if (stored.verdict !== 'accepted') continue;
    const step = foldStep(render, stored.fact, stored.appended_at);
    if (step.tag === 'accepted') render = step.render;
  }
  return render;
};

/**
 * What `render-status` still lacks of records that are folded already: the documents are ahead of them, so each
 * status is rebuilt from its document's list. An event that its document does not list as accepted was ignored.
 */
export const statusOfFolded = (
  documents: Documents,
  entries: readonly BatchEntry<RenderEvent>[],
): readonly StatusToPublish[] =>
  entries.flatMap((entry) => {
    if (entry.tag !== 'event') return [];
    const { record, event } = entry;
    const document = documents.get(event.render_id);
    const stored = document?.facts.find((event) => event.offset === record.offset);
    if (document === undefined || stored?.verdict !== 'accepted') return [];
    const render = renderAsOf(document, record.offset);
    return render === null ? [] : [statusToPublish(record, event, stored.transition, render)];
  });
