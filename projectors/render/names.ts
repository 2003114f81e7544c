import pLimit from 'p-limit';
import type { RenderEvent, RenderRequested } from '../../domain/render/events.ts';
import { BlobFault, type BlobStore, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { PendingFault } from '../../read-models/pending-texts.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { nameHash, type SaltedName } from '../../schemas/blobs/salted-name.ts';
import { readPayload, type TextWait } from '../payload-reads.ts';

/** Null if the payload is deleted or corrupt, or was not served in time. */
export type RequestNameLookup = (event: RenderRequested) => SaltedName | null;

export type RequestNames = {
  /** Waits a limited time for the blob store. Rejects when `signal` aborts. */
  readonly read: (entries: readonly BatchEntry<RenderEvent>[], signal: AbortSignal) => Promise<void>;
  readonly of: RequestNameLookup;
  readonly pending: (event: RenderRequested) => PendingFault | null;
};

/** Names that need not be read from the blob store, such as those of a serving generation. */
export type LookUpKnownNames = (render_ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>;

const READ_AT_ONCE = 32;

export const hasNameInBlob = ({ name_sha256 }: RenderRequested): boolean => name_sha256 !== null;

const requestsIn = (entries: readonly BatchEntry<RenderEvent>[]): readonly RenderRequested[] =>
  entries.flatMap((entry) =>
    entry.tag === 'event' && entry.event.type === 'RenderRequested' && hasNameInBlob(entry.event) ? [entry.event] : [],
  );

const nameIn = (bytes: Buffer): SaltedName | null => {
  const payload = decodeJsonText(RequestPayload, bytes.toString('utf8'));
  return payload?.name === undefined || payload.name_salt === undefined
    ? null
    : { name: payload.name, salt: payload.name_salt };
};

export const nameFromPayload = (bytes: Buffer, name_sha256: string | null): SaltedName | null => {
  const named = nameIn(bytes);
  return named !== null && nameHash(named) === name_sha256 ? named : null;
};

export const readNameFromBlob = async (
  blobs: Pick<BlobStore, 'getPayload'>,
  { request, name_sha256 }: RenderRequested,
): Promise<SaltedName | null> => {
  if (request === null) return null;
  try {
    return nameFromPayload(await blobs.getPayload(request), name_sha256);
  } catch (error) {
    if (error instanceof BlobFault && !isUnavailableOrRefused(error)) return null;
    throw error;
  }
};

export type RequestNamesDependencies = {
  readonly blobs: Pick<BlobStore, 'getPayload'>;
  readonly known: LookUpKnownNames;
  readonly waitOf: (partition: number) => TextWait;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onCorrupt: () => void;
};

/**
 * A missing payload was erased. A corrupt payload counts as no name, because it stays corrupt. A payload that the blob
 * store does not serve in time is pending, and is filled in later.
 */
export const openRequestNames = ({
  blobs,
  known,
  waitOf,
  logger,
  clock,
  onCorrupt,
}: RequestNamesDependencies): RequestNames => {
  const found = new WeakMap<RenderRequested, SaltedName | null>();
  const pending = new WeakMap<RenderRequested, PendingFault>();
  const turn = pLimit(READ_AT_ONCE);
  const warn = throttledWarn(logger);

  const fromBlob = async (event: RenderRequested, signal: AbortSignal, given_up: AbortSignal) => {
    const { render_id, request, name_sha256 } = event;
    if (request === null) return null;
    const read = await readPayload((ends) => blobs.getPayload(request, ends), 'the payload of a request', {
      ...{ warn, onCorrupt, clock, signal, given_up },
    });
    if (read.tag === 'pending') pending.set(event, read.fault);
    if (read.tag !== 'read') return null;
    const named = nameFromPayload(read.value, name_sha256);
    if (named === null) {
      onCorrupt();
      logger.error({ render_id, path: request.path }, 'the payload of a request lacks its name');
    }
    return named;
  };

  const onFailure = (error: unknown): void => warn({ error }, 'cannot read names of renders yet; retrying');

  return {
    read: async (entries, signal) => {
      const requests = requestsIn(entries).filter((event) => !found.has(event));
      const last = entries.at(-1);
      if (requests.length === 0 || last === undefined) return;
      const before = await retry(() => known(requests.map(({ render_id }) => render_id)), { clock, signal, onFailure });
      const unknown = requests.filter((event) => {
        const copy = before.get(event.render_id);
        if (copy === undefined || nameHash(copy) !== event.name_sha256) return true;
        found.set(event, copy);
        return false;
      });
      if (unknown.length === 0) return;
      const is_hurried = unknown.length < entries.length;
      await waitOf(last.record.partition).during(last.record.offset, is_hurried, (given_up) =>
        turn.map(unknown, async (event) => found.set(event, await fromBlob(event, signal, given_up))),
      );
    },
    of: (event) => {
      const named = found.get(event);
      if (named === undefined) throw new Error(`the name of ${event.render_id} was not read`);
      return named;
    },
    pending: (event) => pending.get(event) ?? null,
  };
};
