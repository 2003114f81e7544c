import pLimit from 'p-limit';
import type { RenderEvent, RenderRequested } from '../../domain/render/events.ts';
import { BlobFault, type BlobStore, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn, type Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { SealedRecord, SealOpener, SealOpening } from '../../platform/seals/opener.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { PendingFault } from '../../read-models/pending-texts.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { nameHash, type SaltedName } from '../../schemas/blobs/salted-name.ts';
import { readPayload, type TextWait } from '../payload-reads.ts';

/** `name` is empty if its key is erased or lost, or its box is lost. `salt` is null if the name was sealed. */
export type RequestName = { readonly name: string; readonly salt: string | null };

/** Null if the name is erased, its payload is deleted or corrupt, or Blob did not serve it in time. */
export type RequestNameLookup = (event: RenderRequested) => RequestName | null;

export type RequestNames = {
  /** Waits a limited time for the blob store. Rejects when `signal` aborts. */
  readonly read: (entries: readonly BatchEntry<RenderEvent>[], signal: AbortSignal) => Promise<void>;
  readonly of: RequestNameLookup;
  readonly pending: (event: RenderRequested) => PendingFault | null;
};

/** Names that need not be read from the blob store, such as those of a serving generation. */
export type LookUpKnownNames = (render_ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>;

const READ_AT_ONCE = 32;

/** Whether the event lacks the name in clear text. */
export const isNameHidden = ({ name_sha256, sealed }: RenderRequested): boolean =>
  name_sha256 !== null || sealed !== null;

const requestsIn = (entries: readonly BatchEntry<RenderEvent>[]): readonly RenderRequested[] =>
  entries.flatMap((entry) =>
    entry.tag === 'event' && entry.event.type === 'RenderRequested' && isNameHidden(entry.event) ? [entry.event] : [],
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

/**
 * Empty if the name cannot be read. A punctured name is not null, because null hides the render. The keys of an erased
 * account are deleted before its renders, and only listed renders are found and erased.
 */
export const nameFromSeal = (opening: SealOpening): RequestName => ({
  name: opening.state === 'open' ? opening.text.name : '',
  salt: null,
});

export type RequestNamesDependencies = {
  readonly blobs: Pick<BlobStore, 'getPayload'>;
  readonly seals: SealOpener;
  readonly known: LookUpKnownNames;
  readonly waitOf: (partition: number) => TextWait;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onCorrupt: () => void;
  readonly onLost: () => void;
  /** The name in the serving generation, for a lost name. Null if this generation serves. */
  readonly servingName: ((render_id: string) => Promise<string | null>) | null;
};

type NameRead = { readonly named: RequestName | null; readonly fault: PendingFault | null };

const NO_NAME: NameRead = { named: null, fault: null };

type NameReader = (event: RenderRequested, signal: AbortSignal, given_up: AbortSignal) => Promise<NameRead>;

const createNameReader = (deps: RequestNamesDependencies, warn: Warn): NameReader => {
  const { blobs, seals, servingName, logger, clock, onCorrupt, onLost } = deps;

  const fromPayload: NameReader = async (event, signal, given_up) => {
    const { render_id, request, name_sha256 } = event;
    if (request === null) return NO_NAME;
    const read = await readPayload((ends) => blobs.getPayload(request, ends), 'the payload of a request', {
      ...{ warn, onCorrupt, clock, signal, given_up },
    });
    if (read.tag === 'pending') return { named: null, fault: read.fault };
    if (read.tag === 'missing') return NO_NAME;
    const named = nameFromPayload(read.value, name_sha256);
    if (named === null) {
      onCorrupt();
      logger.error({ render_id, path: request.path }, 'the payload of a request lacks its name');
    }
    return { named, fault: null };
  };

  /** The serving generation may have folded the name while its key existed. No hash of the name confirms the copy. */
  const nameOfLost = async (render_id: string, signal: AbortSignal): Promise<RequestName> => {
    const onFailure = (error: unknown): void => warn({ error }, 'cannot read the name of a render; retrying');
    const copy = servingName === null ? null : await retry(() => servingName(render_id), { clock, signal, onFailure });
    return { name: copy ?? '', salt: null };
  };

  const fromSeal = async (record: SealedRecord, signal: AbortSignal, given_up: AbortSignal): Promise<NameRead> => {
    const read = await readPayload((ends) => seals.open(record, ends), 'the key tree of a request', {
      ...{ warn, onCorrupt, clock, signal, given_up },
    });
    if (read.tag === 'pending') return { named: null, fault: read.fault };
    if (read.tag === 'missing') return NO_NAME;
    if (read.value.state !== 'lost') return { named: nameFromSeal(read.value), fault: null };
    onLost();
    const { render_id, sealed } = record;
    const { tree, leaf } = sealed;
    warn({ render_id, tree, leaf, why: read.value.why }, 'the sealed name of a request is lost');
    return { named: await nameOfLost(render_id, signal), fault: null };
  };

  return async (event, signal, given_up) => {
    const record = sealedRequest(event);
    return record === null ? await fromPayload(event, signal, given_up) : await fromSeal(record, signal, given_up);
  };
};

/**
 * A missing payload was erased. A corrupt payload counts as no name, because it stays corrupt. A payload or key tree
 * that the blob store does not serve in time is pending, and is filled in later.
 */
export const openRequestNames = (deps: RequestNamesDependencies): RequestNames => {
  const { known, waitOf, logger, clock } = deps;
  const found = new WeakMap<RenderRequested, NameRead>();
  const turn = pLimit(READ_AT_ONCE);
  const warn = throttledWarn(logger);
  const readOne = createNameReader(deps, warn);

  /** Sets the names that need no read of Blob. */
  const copyKnown = async (requests: readonly RenderRequested[], signal: AbortSignal): Promise<void> => {
    if (requests.length === 0) return;
    const onFailure = (error: unknown): void => warn({ error }, 'cannot read names of renders yet; retrying');
    const before = await retry(() => known(requests.map(({ render_id }) => render_id)), { clock, signal, onFailure });
    for (const event of requests) {
      const copy = before.get(event.render_id);
      if (copy !== undefined && nameHash(copy) === event.name_sha256) found.set(event, { named: copy, fault: null });
    }
  };

  return {
    read: async (entries, signal) => {
      const requests = requestsIn(entries).filter((event) => !found.has(event));
      const last = entries.at(-1);
      if (requests.length === 0 || last === undefined) return;
      const unsealed = requests.filter((event) => sealedRequest(event) === null);
      await copyKnown(unsealed, signal);
      const unknown = requests.filter((event) => !found.has(event));
      if (unknown.length === 0) return;
      const is_hurried = unknown.length < entries.length;
      await waitOf(last.record.partition).during(last.record.offset, is_hurried, (given_up) =>
        turn.map(unknown, async (event) => found.set(event, await readOne(event, signal, given_up))),
      );
    },
    of: (event) => {
      const read = found.get(event);
      if (read === undefined) throw new Error(`the name of ${event.render_id} was not read`);
      return read.named;
    },
    pending: (event) => found.get(event)?.fault ?? null,
  };
};
