import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type RetryPolicy, retry, retryAfterPauses } from '../../platform/process/retry.ts';
import type { CliFault } from '../fault.ts';
import { errorCodeOf } from '../folder-fault.ts';
import type { ApiResult } from '../http/api-client.ts';

export type DownloadOptions = {
  readonly clock: Pick<Clock, 'sleep' | 'after'>;
  /** Without data for this time, in ms, the connection counts as broken. */
  readonly idle_timeout_ms: number;
  /** The pauses between tries. The count of failures begins again when data arrives. */
  readonly policy: RetryPolicy;
  /** @param total_bytes null if the server does not send it */
  readonly on_bytes: (done_bytes: number, total_bytes: number | null) => void;
  /** Called before a retry, with the reason. */
  readonly on_failure: (message: string) => void;
  readonly stop: AbortSignal;
};

export const fileExistsFault = (path: string): CliFault => ({
  tag: 'usage',
  message: `${path} already exists; use --force to overwrite it, or choose another name with -o`,
});

export const DOWNLOAD_DEFAULTS = { idle_timeout_ms: 30_000, policy: retryAfterPauses([500, 2_000, 8_000]) } as const;

/** Thrown for a fault that a retry cannot fix. */
class Refused extends Error {
  readonly fault: CliFault;
  constructor(fault: CliFault) {
    super('refused');
    this.fault = fault;
  }
}

/** fetch() reports the reason of a failed connection only in `cause`. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** The size of the whole file, from the response to a range request that begins at `from`. */
const totalOf = ({ status, headers }: Response, from: number): number | null => {
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '');
  if (status === 206) {
    if (range === null || Number(range[1]) !== from)
      throw new Error('the server sent a different range than requested');
    return Number(range[2]);
  }
  const length = headers.get('content-length');
  return length === null ? null : Number(length);
};

type Download = {
  readonly id: string;
  /** Each connection needs a fresh URL, because signatures expire. */
  readonly url: () => ApiResult<string>;
  readonly path: string;
  readonly overwrite: boolean;
};

/** Writes until all bytes are written: on a nearly full disk, a write may be partial, and only the next one fails. */
const writeAll = async (file: FileHandle, chunk: Uint8Array, at: number): Promise<void> => {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at + written);
    written += bytesWritten;
  }
};

/**
 * Downloads into `file` and returns the size in bytes. Continues a broken download on a new connection. Throws if it
 * fails.
 */
const fetchInto = async (
  file: FileHandle,
  { id, url, path }: Download,
  downloading: DownloadOptions,
): Promise<number> => {
  const { clock, idle_timeout_ms, on_bytes, stop } = downloading;
  let done_bytes = 0;
  let fruitless = 0;
  const connection = async (): Promise<void> => {
    const address = await url();
    if (E.isLeft(address)) {
      const fault = address.left;
      if (fault.tag === 'unreachable') throw new Error('the service does not answer');
      if (fault.tag === 'http' && isTransient(fault.status)) throw new Error(fault.message);
      throw new Refused(fault);
    }
    const idle = new AbortController();
    const idleFrom = () =>
      clock.after(idle_timeout_ms, () => idle.abort(new Error('the server sent no data before the timeout')));
    let heard = idleFrom();
    try {
      const answer = await fetch(address.right, {
        headers: { 'Accept-Encoding': 'identity', ...(done_bytes > 0 ? { Range: `bytes=${done_bytes}-` } : {}) },
        signal: AbortSignal.any([stop, idle.signal]),
      });
      if (!answer.ok || answer.body === null) {
        await answer.body?.cancel();
        const message = `the blob store returned status ${answer.status}`;
        if (isTransient(answer.status)) throw new Error(message);
        throw new Refused({ tag: 'not_downloaded', id, message });
      }
      const total_bytes = totalOf(answer, done_bytes);
      // A server without range requests sends the whole file again.
      if (answer.status !== 206) done_bytes = 0;
      for await (const chunk of answer.body) {
        heard();
        heard = idleFrom();
        await writeAll(file, chunk, done_bytes).catch((error: unknown) => {
          const message = errorCodeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error);
          throw new Refused({ tag: 'unwritable_file', path, message });
        });
        done_bytes += chunk.length;
        fruitless = 0;
        on_bytes(done_bytes, total_bytes);
      }
      if (total_bytes !== null && done_bytes !== total_bytes)
        throw new Error(`the connection broke after ${done_bytes} of ${total_bytes} bytes`);
    } finally {
      heard();
    }
  };
  await retry(connection, {
    clock,
    signal: stop,
    isTransient: (error) => !(error instanceof Refused),
    onFailure: (error) => downloading.on_failure(causeOf(error)),
    policy: () => {
      fruitless += 1;
      return downloading.policy(fruitless);
    },
  });
  await file.truncate(done_bytes);
  await file.sync();
  return done_bytes;
};

/**
 * Renames the partial file. Without `overwrite`, it does not replace a file that appeared at `path` during the
 * download.
 */
const giveName = async (part: string, { path, overwrite }: Download): Promise<CliFault | null> => {
  if (overwrite) {
    await rename(part, path);
    return null;
  }
  try {
    await link(part, path);
    return null;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return fileExistsFault(path);
    // File systems such as exFAT have no hard links, so the file is renamed.
    await rename(part, path);
    return null;
  }
};

/**
 * Downloads to a partial file next to `path` and then renames it, so the file at `path` is always complete.
 *
 * @returns the size in bytes; on the left `interrupted`, `unwritable_file`, `not_downloaded`, or why there is no URL
 */
export const download = async (
  wanted: Download,
  downloading: DownloadOptions,
): Promise<E.Either<CliFault, { readonly size_bytes: number }>> => {
  const { id, path } = wanted;
  const part = `${path}.${randomUUID()}.part`;
  let file: FileHandle;
  try {
    file = await open(part, 'wx');
  } catch (error) {
    return E.left({ tag: 'unwritable_file', path, message: messageOf(error) });
  }
  try {
    const size_bytes = await fetchInto(file, wanted, downloading);
    const fault = await giveName(part, wanted);
    if (fault !== null) return E.left(fault);
    return E.right({ size_bytes });
  } catch (error) {
    if (downloading.stop.aborted) return E.left({ tag: 'interrupted' });
    if (error instanceof Refused) return E.left(error.fault);
    return E.left({ tag: 'not_downloaded', id, message: causeOf(error) });
  } finally {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
  }
};
