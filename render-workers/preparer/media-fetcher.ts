import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import {
  FETCH_IDLE_MS,
  FETCH_WITHIN_MS,
  MAX_FETCHED_BYTES,
  MAX_REDIRECTS,
  type RemoteMedia,
} from '../../domain/composition/remote-media.ts';
import { STOPPED_FAULT } from '../../platform/outbound/connection-faults.ts';
import type { FetchedFile, FetchFault, FetchResult } from '../../platform/outbound/fetch-result.ts';
import type { Fetcher } from '../../platform/outbound/https-fetch.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type RetryPolicy, SHORT_RETRY_POLICY } from '../../platform/process/retry.ts';
import { fetchWithRetries } from '../fetching/fetch-with-retries.ts';
import { combineClocks, type WorkClock, workClock } from '../metering/work-clock.ts';
import type { WorkMeter } from '../metering/work-meter.ts';
import { openAccountSlots } from '../queue/account-slots.ts';
import { type PreparationFault, TransientFault } from './preparation-fault.ts';

const MIB = 1024 ** 2;

export const FETCH_LIMITS = {
  ...MAX_FETCHED_BYTES,
  together: 1024 * MIB,
  /** Limit of all fetches of a render. Retries count, waiting for slots does not. */
  within_ms: FETCH_WITHIN_MS,
  idle_ms: FETCH_IDLE_MS,
  redirects: MAX_REDIRECTS,
  /** Concurrent fetches: of the process, an account, and a render. */
  at_once: 24,
  at_once_per_account: 3,
  at_once_per_render: 3,
} as const;

export type FetchedMediaFile = {
  readonly media: readonly RemoteMedia[];
  readonly file: string;
  readonly sha256: string;
};

export type FetchJob = {
  readonly account_id: string;
  readonly folder: string;
  readonly clock: WorkClock;
  readonly meter: Pick<WorkMeter, 'addFetchedBytes'>;
  readonly signal: AbortSignal;
};

export type MediaFetcher = {
  /**
   * Fetches each URL once. Left: the first failure, which names the field but never the URL. Rejects with
   * `TransientFault` if this machine is at fault.
   */
  readonly fetch: (
    remote: readonly RemoteMedia[],
    job: FetchJob,
  ) => Promise<E.Either<PreparationFault, readonly FetchedMediaFile[]>>;
};

export const maxFetchedBytes = (remote: readonly RemoteMedia[]): number =>
  Math.min(
    FETCH_LIMITS.together,
    byUrl(remote).reduce((sum, media) => sum + mostBytesOf(media), 0),
  );

const named = (media: readonly RemoteMedia[], code: string, message: string): PreparationFault => {
  const field = `values.${media[0]?.field}`;
  return { code, message: `${field}: ${message}`, field };
};

const notFetched = (media: readonly RemoteMedia[], fault: FetchFault): PreparationFault =>
  named(media, `media_${fault.code}`, `could not be fetched. ${fault.message}`);

const byUrl = (remote: readonly RemoteMedia[]): readonly (readonly RemoteMedia[])[] => [
  ...Map.groupBy(remote, ({ url }) => url).values(),
];

const mostBytesOf = (media: readonly RemoteMedia[]): number => Math.min(...media.map(({ kind }) => FETCH_LIMITS[kind]));

const stopped: FetchResult = { tag: 'failed', ...STOPPED_FAULT, status: null };

export const openMediaFetcher = (
  { fetchFile }: Pick<Fetcher, 'fetchFile'>,
  clock: Clock,
  policy: RetryPolicy = SHORT_RETRY_POLICY,
  within_ms: number = FETCH_LIMITS.within_ms,
): MediaFetcher => {
  // Accounts take turns, so that slow servers of one account do not delay others.
  const slots = openAccountSlots(FETCH_LIMITS);

  const fetchOne = async (
    media: readonly RemoteMedia[],
    file: string,
    { account_id, meter }: FetchJob,
    clocks: Pick<WorkClock, 'work' | 'wait'>,
    signal: AbortSignal,
  ): Promise<FetchedFile | FetchFault> => {
    const request = {
      url: media[0]?.url ?? '',
      file,
      most_bytes: mostBytesOf(media),
      timeout_ms: within_ms,
      idle_ms: FETCH_LIMITS.idle_ms,
      most_redirects: FETCH_LIMITS.redirects,
      on_bytes: meter.addFetchedBytes,
      signal,
    };
    const fetchInTurn = (): Promise<FetchResult> =>
      clocks.wait(() =>
        slots.inSlot(
          account_id,
          signal,
          () => clocks.work(() => fetchFile(request)),
          () => stopped,
        ),
      );
    return await clocks.work(() => fetchWithRetries(fetchInTurn, { clock, signal, policy }));
  };

  return {
    fetch: async (remote, job) => {
      const { folder, signal } = job;
      const hopeless = new AbortController();
      const own = workClock(within_ms, clock);
      const clocks = combineClocks(job.clock, own);
      const late = own.signal;
      const any = AbortSignal.any([signal, late, hopeless.signal]);
      const side_by_side = pLimit(FETCH_LIMITS.at_once_per_render);
      let fault: PreparationFault | null = null;
      let together = 0;
      const fail = (why: PreparationFault): null => {
        fault ??= why;
        hopeless.abort();
        return null;
      };
      const one = async (media: readonly RemoteMedia[], index: number): Promise<FetchedMediaFile | null> => {
        if (hopeless.signal.aborted) return null;
        const file = join(folder, `fetched-${index}`);
        const result = await fetchOne(media, file, job, clocks, any);
        signal.throwIfAborted();
        if (result.tag === 'failed') {
          if (result.code === 'not_stored')
            throw new TransientFault('fetched media could not be stored on this machine', 'disk');
          const message = `took longer than the ${within_ms / 1000} s that a render may spend on fetching`;
          const tooLate = late.aborted && result.code === 'stopped';
          return fail(tooLate ? named(media, 'media_timeout', message) : notFetched(media, result));
        }
        together += result.size_bytes;
        return together > FETCH_LIMITS.together
          ? fail(
              named(media, 'media_too_large', `is too large: ${FETCH_LIMITS.together / MIB} MiB together are allowed`),
            )
          : { media, file, sha256: result.sha256 };
      };
      const all = (): Promise<readonly (FetchedMediaFile | null)[]> =>
        Promise.all(byUrl(remote).map((media, index) => side_by_side(() => one(media, index))));
      // The preparation's clock stops while no fetch runs.
      const fetched = await job.clock.wait(all).catch((cause: unknown) => {
        hopeless.abort();
        throw cause;
      });
      return fault === null ? E.right(fetched.flatMap((one) => one ?? [])) : E.left(fault);
    },
  };
};
