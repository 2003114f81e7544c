import pLimit from 'p-limit';
import type { RenderEvent, RenderRequested } from '../../domain/render/events.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import { decodedText } from '../../schemas/blobs/decoded-text.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { nameHash, type SaltedName } from '../../schemas/blobs/salted-name.ts';
import { payloadUntilRead } from '../payload-reads.ts';

/** The name of a request whose event has none; null where its payload is not there any more. */
export type NameOf = (event: RenderRequested) => SaltedName | null;

/** Names of requests, outside the log. */
export type Names = {
  /** Reads those of a batch, and tries until the store of blobs has answered; rejects once `signal` aborts. */
  readonly read: (entries: readonly BatchEntry<RenderEvent>[], signal: AbortSignal) => Promise<void>;
  /** Of a request that was read. */
  readonly of: NameOf;
};

/** Names of these renders that are known without Blob, such as those of a generation that serves. */
export type KnownNames = (render_ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>;

const READ_AT_ONCE = 32;

/** An event that has its name itself is none of these. */
export const isNamedOutside = ({ name_sha256 }: RenderRequested): boolean => name_sha256 !== null;

const requestsIn = (entries: readonly BatchEntry<RenderEvent>[]): readonly RenderRequested[] =>
  entries.flatMap((entry) =>
    entry.tag === 'event' && entry.event.type === 'RenderRequested' && isNamedOutside(entry.event) ? [entry.event] : [],
  );

const nameIn = (bytes: Buffer): SaltedName | null => {
  const payload = decodedText(RequestPayload, bytes.toString('utf8'));
  return payload?.name === undefined || payload.name_salt === undefined
    ? null
    : { name: payload.name, salt: payload.name_salt };
};

/** The name in the payload of a request whose event has none; null where it is not there, or not what was stored. */
export const nameInBlob = async (
  blobs: Pick<BlobStore, 'getPayload'>,
  { request, name_sha256 }: RenderRequested,
): Promise<SaltedName | null> => {
  if (request === null) return null;
  try {
    const named = nameIn(await blobs.getPayload(request));
    return named !== null && nameHash(named) === name_sha256 ? named : null;
  } catch (error) {
    if (error instanceof BlobFault && error.tag !== 'unavailable') return null;
    throw error;
  }
};

/**
 * What is missing was erased. What is there and is not what was stored is no name either: it is told, and nobody waits for
 * it, as it stays so.
 *
 * @param onCorrupt is called for each of these
 */
export const openNames = (
  blobs: Pick<BlobStore, 'getPayload'>,
  known: KnownNames,
  logger: Logger,
  clock: Clock,
  onCorrupt: () => void,
): Names => {
  const found = new WeakMap<RenderRequested, SaltedName | null>();
  const turn = pLimit(READ_AT_ONCE);
  const warn = sparingWarnings(logger);

  const fromBlob = async (event: RenderRequested, signal: AbortSignal): Promise<SaltedName | null> => {
    const { render_id, request, name_sha256 } = event;
    if (request === null) return null;
    const what = 'the payload of a request';
    const bytes = await payloadUntilRead(() => blobs.getPayload(request, signal), what, {
      warn,
      onCorrupt,
      clock,
      signal,
    });
    const named = bytes === null ? null : nameIn(bytes);
    if (named !== null && nameHash(named) === name_sha256) return named;
    if (bytes !== null) {
      onCorrupt();
      logger.error({ render_id, path: request.path }, 'the payload of a request does not have its name');
    }
    return null;
  };

  const onFailure = (error: unknown): void => warn({ error }, 'names of renders are waited for');

  return {
    read: async (entries, signal) => {
      const requests = requestsIn(entries).filter((event) => !found.has(event));
      if (requests.length === 0) return;
      const before = await retry(() => known(requests.map(({ render_id }) => render_id)), { clock, signal, onFailure });
      await turn.map(requests, async (event) => {
        const copy = before.get(event.render_id);
        const named = copy !== undefined && nameHash(copy) === event.name_sha256 ? copy : await fromBlob(event, signal);
        found.set(event, named);
      });
    },
    of: (event) => {
      const named = found.get(event);
      if (named === undefined) throw new Error(`the name of ${event.render_id} was not read`);
      return named;
    },
  };
};
