import { UPLOAD_KEPT_MS } from '../../domain/uploads/limits.ts';
import type { Upload, UploadOutcome } from '../../domain/uploads/upload.ts';
import { BlobFault, type BlobStore, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import { isStoreUnavailable } from '../../platform/read-store/store-away.ts';
import type { UploadClaim, Uploads, WaitingUpload } from '../../read-models/uploads/uploads.ts';
import { quarantinePath, uploadPrefix, uploadRecordPath } from '../../schemas/blobs/paths.ts';
import { InfrastructureFault } from '../environment/infrastructure-fault.ts';
import { openAccountSlots } from '../queue/account-slots.ts';
import type { FetchOutcome } from './fetch-upload.ts';
import { InspectionInterrupted } from './inspect-upload.ts';
import { openWaitingScan } from './waiting-scan.ts';

export type InspectorDependencies = {
  readonly uploads: Pick<Uploads, 'waiting' | 'claim' | 'beat' | 'release' | 'fetched' | 'decide' | 'finish'>;
  readonly blobs: Pick<BlobStore, 'writeText'>;
  readonly upload_blobs: Pick<UploadBlobs, 'list' | 'remove'>;
  readonly fetch: (upload: Upload, signal: AbortSignal) => Promise<FetchOutcome>;
  readonly inspect: (upload: Upload, signal: AbortSignal) => Promise<UploadOutcome>;
  /** The id of this process, new at each start. */
  readonly holder: string;
  readonly on_ended?: (state: 'ready' | 'refused') => void;
  readonly logger: Logger;
  readonly clock: Clock;
};

export type Inspector = {
  readonly running: () => number;
  /** Aborts the inspections. Other processes continue them. */
  readonly stop: () => Promise<void>;
};

/** One at a time for each account, so an account with many uploads delays no other by more than one inspection. */
const SLOTS = { at_once: 2, at_once_per_account: 1 };
/** More than inspections, because slow servers must not delay the fetches of other accounts. */
const FETCH_SLOTS = { at_once: 12, at_once_per_account: 3 };
const LOOK_EVERY_MS = 500;
/** Uploads that run or wait for a slot in this process. The others wait in the store. */
const MAX_BEGUN = 2_000;
/** For one account. Fetches and inspections count apart. */
const MAX_BEGUN_PER_ACCOUNT = 16;
const BEAT_EVERY_MS = 3_000;
/** Another process takes the upload if it saw the same beat for this long, by its own clock. */
const SILENT_MS = 15_000;
/** After a fault of the machine. */
const PAUSE_MS = 5_000;
const MAX_TRIES = 3;
const GIVEN_UP = 'could not be checked, because decoding it ended the service: export it again, or convert it';
const NOT_FETCHED = 'could not be fetched, because fetching it ended the service: upload it instead';

const queueOf = ({ account_id, state }: WaitingUpload): string =>
  `${state === 'fetching' ? 'fetch' : 'inspect'} ${account_id}`;

/** Whether another process may take the upload: no process claims it, or the beat has not changed for long. */
const freeClaims = (clock: Pick<Clock, 'monotonic'>) => {
  const seen = new Map<string, { readonly beat: string; readonly since: number; readonly round: number }>();
  let round = 0;
  return {
    isFree: (id: string, claim: UploadClaim | null): boolean => {
      if (claim === null) return true;
      const beat = `${claim.holder} ${claim.beat}`;
      const before = seen.get(id);
      const since = before?.beat === beat ? before.since : clock.monotonic();
      seen.set(id, { beat, since, round });
      return clock.monotonic() - since >= SILENT_MS;
    },
    /** Forgets the claims that were not seen in this round over all accounts. */
    endRound: (): void => {
      for (const [id, claim] of seen) if (claim.round < round) seen.delete(id);
      round += 1;
    },
  };
};

const isOfMachine = (error: unknown): boolean =>
  error instanceof InspectionInterrupted ||
  error instanceof InfrastructureFault ||
  isStoreUnavailable(error) ||
  isSystemError(error) ||
  (error instanceof BlobFault && isUnavailableOrRefused(error));

/** Removes everything of the upload except its outcome, and then shows the outcome. A repeat does the same again. */
const finish = async (
  { uploads, blobs, upload_blobs, holder, clock, on_ended }: InspectorDependencies,
  upload: Upload,
): Promise<void> => {
  const { id, account_id, result } = upload;
  const state = result === null ? 'refused' : 'ready';
  const expires_at = clock.now() + UPLOAD_KEPT_MS[state];
  const record = uploadRecordPath(account_id, id);
  await blobs.writeText(record, JSON.stringify({ ...upload, state, expires_at }));
  const kept = new Set([record, result?.path, result?.thumbnail]);
  for (const path of await upload_blobs.list(uploadPrefix(account_id, id)))
    if (!kept.has(path)) await upload_blobs.remove(path);
  await upload_blobs.remove(quarantinePath(account_id, id));
  if (await uploads.finish(id, holder, state, expires_at)) on_ended?.(state);
};

/** Removes the files of an attempt whose outcome was not accepted, because the upload was erased or taken over. */
const discard = async ({ upload_blobs }: InspectorDependencies, { result }: UploadOutcome): Promise<void> => {
  for (const path of [result?.path, result?.thumbnail]) if (typeof path === 'string') await upload_blobs.remove(path);
};

/** Null if the bytes are fetched, and wait for their inspection. */
const fetchClaimed = async (
  { uploads, upload_blobs, holder, clock, fetch }: InspectorDependencies,
  upload: Upload,
  given_up: boolean,
  signal: AbortSignal,
): Promise<UploadOutcome | null> => {
  const fetched = given_up ? { fault: NOT_FETCHED } : await fetch(upload, signal);
  if ('fault' in fetched) {
    const source = upload.fetch === undefined ? {} : { fetch: { ...upload.fetch, url: null } };
    return { result: null, faults: [fetched.fault], ...source };
  }
  // False if the upload was erased or taken over.
  if (!(await uploads.fetched(upload.id, holder, fetched, clock.now()))) await upload_blobs.remove(fetched.path);
  return null;
};

const outcomeOf = async (
  parts: InspectorDependencies,
  upload: Upload,
  given_up: boolean,
  signal: AbortSignal,
): Promise<UploadOutcome | null> => {
  if (upload.state === 'fetching') return await fetchClaimed(parts, upload, given_up, signal);
  return given_up ? { result: null, faults: [GIVEN_UP] } : await parts.inspect(upload, signal);
};

const inspectClaimed = async (
  parts: InspectorDependencies,
  upload: Upload,
  tries: number,
  signal: AbortSignal,
): Promise<void> => {
  if (upload.state === 'inspected') return await finish(parts, upload);
  const outcome = await outcomeOf(parts, upload, tries > MAX_TRIES, signal);
  if (outcome === null) return;
  const updated_at = parts.clock.now();
  if (!(await parts.uploads.decide(upload.id, parts.holder, outcome, updated_at))) return await discard(parts, outcome);
  await finish(parts, { ...upload, ...outcome, updated_at });
};

/** Inspects one upload if its claim is free. Never rejects. False: do not try again soon. */
const inspectOne = async (
  parts: InspectorDependencies,
  { id, claim }: WaitingUpload,
  stop: AbortSignal,
): Promise<boolean> => {
  const { uploads, holder, logger, clock } = parts;
  try {
    const claimed = await uploads.claim(id, claim, holder);
    if (claimed === null) return true;
    const lost = new AbortController();
    const beats = runRepeatedly(
      clock,
      BEAT_EVERY_MS,
      async () => {
        if (!(await uploads.beat(id, holder))) lost.abort(new Error('the claim is lost'));
      },
      (error) => logger.warn({ error, upload_id: id }, 'the claim of an upload cannot be renewed'),
    );
    try {
      await inspectClaimed(parts, claimed.upload, claimed.tries, AbortSignal.any([stop, lost.signal]));
      return true;
    } catch (error) {
      const counts = !stop.aborted && !lost.signal.aborted && !isOfMachine(error);
      if (!stop.aborted)
        logger[counts ? 'error' : 'warn']({ error, upload_id: id }, 'an upload could not be inspected');
      await uploads.release(id, holder, counts);
      return false;
    } finally {
      await beats.stop();
    }
  } catch (error) {
    logger.warn({ error, upload_id: id }, 'the claim of an upload cannot be changed');
    return false;
  }
};

/** Fetches and inspects uploads, in turn between accounts. Several processes may do so. */
export const startInspector = (parts: InspectorDependencies): Inspector => {
  const { uploads, logger, clock } = parts;
  const life = new AbortController();
  const slots = openAccountSlots(SLOTS);
  const fetch_slots = openAccountSlots(FETCH_SLOTS);
  const claims = freeClaims(clock);
  /** Uploads that run or wait for a slot here. */
  const own = new Map<string, { readonly queue: string; readonly ended: Promise<void> }>();
  const nextWaiting = openWaitingScan(uploads.waiting);
  /** When an upload may be tried again; monotonic ms. */
  const paused = new Map<string, number>();

  const begin = (upload: WaitingUpload): void => {
    const run = async (): Promise<void> => {
      if (!(await inspectOne(parts, upload, life.signal))) paused.set(upload.id, clock.monotonic() + PAUSE_MS);
    };
    const ended = (upload.state === 'fetching' ? fetch_slots : slots)
      .inSlot(upload.account_id, life.signal, run, () => undefined)
      .finally(() => own.delete(upload.id));
    own.set(upload.id, { queue: queueOf(upload), ended });
  };

  const look = async (): Promise<void> => {
    const { found, is_end } = await nextWaiting();
    const begun = new Map<string, number>();
    for (const { queue } of own.values()) begun.set(queue, (begun.get(queue) ?? 0) + 1);
    for (const [id, until] of paused) if (until <= clock.monotonic()) paused.delete(id);
    for (const upload of found) {
      const { id, claim } = upload;
      if (life.signal.aborted) return;
      if (own.has(id) || paused.has(id) || !claims.isFree(id, claim)) continue;
      const queue = queueOf(upload);
      const of_account = begun.get(queue) ?? 0;
      if (own.size >= MAX_BEGUN || of_account >= MAX_BEGUN_PER_ACCOUNT) continue;
      begun.set(queue, of_account + 1);
      begin(upload);
    }
    if (is_end) claims.endRound();
  };
  const looking = runRepeatedly(clock, LOOK_EVERY_MS, look, (error) =>
    logger.warn({ error }, 'uploads that wait for an inspection cannot be listed'),
  );
  return {
    running: () => slots.running() + fetch_slots.running(),
    stop: async () => {
      life.abort(new Error('the service is stopping'));
      await looking.stop();
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
};
