import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { CatalogueEventWithTexts } from '../../domain/catalogue/events.ts';
import type { BlobStore, SaltedBytes } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import { isStoreUnavailable } from '../../platform/read-store/store-away.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { ProjectDocumentPayload, ProjectNamePayload } from '../../schemas/blobs/payloads.ts';
import { type PayloadRead, readPayload, type TextWait } from '../payload-reads.ts';
import type { EventWithPayload, StoredTexts } from './stored-texts.ts';

const hasPayload = (event: CatalogueEventWithTexts): event is EventWithPayload =>
  (event.type === 'ProjectCreated' || event.type === 'ProjectVersionAdded') && event.payload !== null;

export const payloadContentOf = (of: 'name' | 'document', { bytes }: Pick<SaltedBytes, 'bytes'>) => {
  const document = bytes.toString('utf8');
  const content = decodeJsonText(of === 'name' ? ProjectNamePayload : ProjectDocumentPayload, document);
  if (content === null) return null;
  return { name: content.name, document, document_sha256: createHash('sha256').update(bytes).digest('hex') };
};

const filledIn = (event: EventWithPayload, read: SaltedBytes): CatalogueEventWithTexts => {
  const content = payloadContentOf(event.type === 'ProjectCreated' ? 'name' : 'document', read);
  if (content === null) return event;
  const { salt } = read;
  return event.type === 'ProjectCreated' ? { ...event, name: content.name, salt } : { ...event, ...content, salt };
};

const READ_AT_ONCE = 32;
const PART = 50;
/** A batch takes no more texts when it reaches this size, because each document may have 256 KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

export type PayloadTexts = (
  entries: readonly BatchEntry<CatalogueEventWithTexts>[],
  signal: AbortSignal,
) => Promise<readonly BatchEntry<CatalogueEventWithTexts>[]>;

export type PayloadTextDependencies = {
  readonly blobs: Pick<BlobStore, 'getSaltedPayload'>;
  readonly stored: StoredTexts;
  readonly wait: TextWait;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onCorrupt: () => void;
};

/**
 * True if a record without a text follows a text. Such a record may be urgent, like the revocation of a key, so the
 * fold waits less for the text.
 */
const isBehindTexts = (entries: readonly BatchEntry<CatalogueEventWithTexts>[]): boolean => {
  const isText = (entry: BatchEntry<CatalogueEventWithTexts>): boolean =>
    entry.tag === 'event' && hasPayload(entry.event);
  const first = entries.findIndex(isText);
  return first !== -1 && entries.slice(first).some((entry) => !isText(entry));
};

/** A text that the blob store does not serve in time is `pending`. A text that is missing or corrupt stays empty. */
export const payloadTexts = ({
  blobs,
  stored,
  wait,
  logger,
  clock,
  onCorrupt,
}: PayloadTextDependencies): PayloadTexts => {
  const warn = throttledWarn(logger);
  const one = pLimit(READ_AT_ONCE);

  const storedOf = (events: readonly EventWithPayload[], signal: AbortSignal) =>
    retry(async () => await stored(events), {
      ...{ clock, signal, isTransient: isStoreUnavailable },
      onFailure: (error) => warn({ error }, 'cannot read names and documents from the store; retrying'),
    });

  const read = ({ payload }: EventWithPayload, signal: AbortSignal, given_up: AbortSignal) =>
    readPayload((ends) => blobs.getSaltedPayload(payload, ends), 'the payload of a project', {
      ...{ warn, onCorrupt, clock, signal, given_up },
    });

  const filled = (
    entry: BatchEntry<CatalogueEventWithTexts>,
    found: PayloadRead<SaltedBytes>,
  ): BatchEntry<CatalogueEventWithTexts> => {
    if (entry.tag !== 'event' || !hasPayload(entry.event) || found.tag === 'missing') return entry;
    const { event } = entry;
    return {
      ...entry,
      event: found.tag === 'read' ? filledIn(event, found.value) : { ...event, pending: found.fault },
    };
  };

  const fillPart = async (
    part: readonly BatchEntry<CatalogueEventWithTexts>[],
    signal: AbortSignal,
    given_up: AbortSignal,
  ): Promise<{ readonly entries: readonly BatchEntry<CatalogueEventWithTexts>[]; readonly bytes: number }> => {
    const events = part.flatMap((entry) => (entry.tag === 'event' && hasPayload(entry.event) ? entry.event : []));
    const known = await storedOf(events, signal);
    let bytes = 0;
    const fill = async (entry: BatchEntry<CatalogueEventWithTexts>): Promise<BatchEntry<CatalogueEventWithTexts>> => {
      if (entry.tag !== 'event' || !hasPayload(entry.event)) return entry;
      const { event } = entry;
      const copy = known.get(event.payload.path);
      const found: PayloadRead<SaltedBytes> =
        copy === undefined ? await one(() => read(event, signal, given_up)) : { tag: 'read', value: copy };
      if (found.tag === 'read') bytes += found.value.bytes.length;
      return filled(entry, found);
    };
    return { entries: await Promise.all(part.map(fill)), bytes };
  };

  return async (entries, signal) => {
    const last = entries.at(-1);
    if (last === undefined) return entries;
    return await wait.during(last.record.offset, isBehindTexts(entries), async (given_up) => {
      const done: BatchEntry<CatalogueEventWithTexts>[] = [];
      for (let bytes = 0; done.length < entries.length && bytes < MAX_BYTES; ) {
        const part = await fillPart(entries.slice(done.length, done.length + PART), signal, given_up);
        done.push(...part.entries);
        bytes += part.bytes;
      }
      return done;
    });
  };
};
