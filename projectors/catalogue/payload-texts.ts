import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { FoldedEvent } from '../../domain/catalogue/events.ts';
import type { BlobStore, SaltedBytes } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import { isAway } from '../../platform/read-store/store-away.ts';
import { decodedText } from '../../schemas/blobs/decoded-text.ts';
import { ProjectDocumentPayload, ProjectNamePayload } from '../../schemas/blobs/payloads.ts';
import { payloadUntilRead } from '../payload-reads.ts';
import type { EventWithPayload, StoredTexts } from './stored-texts.ts';

const hasPayload = (event: FoldedEvent): event is EventWithPayload =>
  (event.type === 'ProjectCreated' || event.type === 'ProjectVersionAdded') && event.payload !== null;

/** The event with what its payload holds; as it is where that is not what was written there. */
const filledIn = (event: EventWithPayload, { bytes, salt }: SaltedBytes): FoldedEvent => {
  const document = bytes.toString('utf8');
  const content = decodedText(event.type === 'ProjectCreated' ? ProjectNamePayload : ProjectDocumentPayload, document);
  if (content === null) return event;
  const { name } = content;
  if (event.type === 'ProjectCreated') return { ...event, name, salt };
  const document_sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...event, name, document, document_sha256, salt };
};

const READ_AT_ONCE = 32;
/** So many events are looked up in the store together. */
const PART = 50;
/** A batch ends with the part that brings it to so many bytes: a document may have 256 KiB. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The texts of events for their fold. */
export type PayloadTexts = (
  entries: readonly BatchEntry<FoldedEvent>[],
  signal: AbortSignal,
) => Promise<readonly BatchEntry<FoldedEvent>[]>;

/**
 * Fills in what the payloads of events hold. While the blob store is away it waits; what is not there any more, or is
 * not what was stored, stays empty.
 *
 * @param stored what need not be read from the blob store
 * @param onCorrupt is called for each that is not what was stored
 */
export const payloadTexts = (
  blobs: Pick<BlobStore, 'getSaltedPayload'>,
  stored: StoredTexts,
  logger: Logger,
  clock: Clock,
  onCorrupt: () => void,
): PayloadTexts => {
  const warn = sparingWarnings(logger);
  const one = pLimit(READ_AT_ONCE);

  const storedOf = (events: readonly EventWithPayload[], signal: AbortSignal) =>
    retry(async () => await stored(events), {
      ...{ clock, signal, isTransient: isAway },
      onFailure: (error) => warn({ error }, 'the store could not be asked for names and documents; trying again'),
    });

  const read = ({ payload }: EventWithPayload, signal: AbortSignal): Promise<SaltedBytes | null> =>
    payloadUntilRead(() => blobs.getSaltedPayload(payload, signal), 'the payload of a project', {
      warn,
      onCorrupt,
      clock,
      signal,
    });

  return async (entries, signal) => {
    const filled: BatchEntry<FoldedEvent>[] = [];
    for (let bytes = 0; filled.length < entries.length && bytes < MOST_BYTES; ) {
      const part = entries.slice(filled.length, filled.length + PART);
      const events = part.flatMap((entry) => (entry.tag === 'event' && hasPayload(entry.event) ? entry.event : []));
      const known = await storedOf(events, signal);
      const fill = async (entry: BatchEntry<FoldedEvent>): Promise<BatchEntry<FoldedEvent>> => {
        if (entry.tag !== 'event' || !hasPayload(entry.event)) return entry;
        const { event } = entry;
        const found = known.get(event.payload.path) ?? (await one(() => read(event, signal)));
        if (found === null) return entry;
        bytes += found.bytes.length;
        return { ...entry, event: filledIn(event, found) };
      };
      filled.push(...(await Promise.all(part.map(fill))));
    }
    return filled;
  };
};
