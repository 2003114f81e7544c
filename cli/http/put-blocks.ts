import { type FileHandle, open } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { finished } from 'node:stream/promises';
import * as E from 'fp-ts/lib/Either.js';
import pLimit, { type LimitFunction } from 'p-limit';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type RetryPolicy, retry, retryAfterPauses } from '../../platform/process/retry.ts';
import type { CliFault } from '../fault.ts';
import type { ApiResult } from './api-client.ts';

export type StoredBlock = { readonly id: string; readonly size_bytes: number };

type Block = StoredBlock & { readonly from: number };

/** The ids depend only on the place and the size, so that another call finds the blocks of an earlier one. */
export const blocksOf = (file_bytes: number, block_bytes: number): readonly Block[] =>
  Array.from({ length: Math.ceil(file_bytes / block_bytes) }, (_, index) => {
    const from = index * block_bytes;
    const id = Buffer.from(`${block_bytes}-${String(index).padStart(6, '0')}`).toString('base64');
    return { id, from, size_bytes: Math.min(block_bytes, file_bytes - from) };
  });

export type PutBlocksOptions = {
  readonly block_bytes: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Shared by all files, so that together they use few connections. */
  readonly slots: LimitFunction;
  /** The pauses between tries of one request. */
  readonly policy: RetryPolicy;
  readonly timeout_ms: number;
  /** Called with the size of each block that is stored, also of those from an earlier call. */
  readonly on_bytes: (bytes: number) => void;
  readonly stop: AbortSignal;
};

export const PUT_DEFAULTS = {
  block_bytes: 4 * 1024 * 1024,
  policy: retryAfterPauses([500, 2_000, 8_000, 15_000]),
  timeout_ms: 120_000,
} as const;

export const newSlots = (): LimitFunction => pLimit(4);

/** The signature of the URL has expired. */
class Expired extends Error {}

/** Thrown for a fault that a retry cannot fix. */
class Refused extends Error {
  readonly fault: CliFault;
  constructor(fault: CliFault) {
    super('refused');
    this.fault = fault;
  }
}

type Target = {
  readonly path: string;
  readonly size_bytes: number;
  readonly stored: readonly StoredBlock[];
  readonly url: string;
  /** Asks for another URL when the signature of the last one has expired. */
  readonly renewed: () => ApiResult<string>;
};

/** Reads a whole block. A file that has become shorter is refused. */
const readBlock = async (file: FileHandle, path: string, { from, size_bytes }: Block): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(size_bytes);
  for (let done = 0; done < size_bytes; ) {
    const { bytesRead } = await file.read(bytes, done, size_bytes - done, from + done);
    if (bytesRead === 0) throw new Refused({ tag: 'unreadable_file', path, message: 'the file changed meanwhile' });
    done += bytesRead;
  }
  return bytes;
};

const FORBIDDEN = 403;

/** `node:http` sends large bodies about twice as fast as `fetch`. The response has no body that matters. */
const answerTo = async (url: string, body: Buffer | string, signal: AbortSignal): Promise<IncomingMessage> => {
  const request = url.startsWith('https:') ? https.request : http.request;
  const headers = { 'Content-Length': Buffer.byteLength(body) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'PUT', headers, signal }).on('response', resolve).on('error', reject).end(body);
  });
  answer.resume();
  await finished(answer);
  return answer;
};

/** The error does not contain the URL, because its signature is a secret. */
const put = async (url: string, body: Buffer | string, signal: AbortSignal): Promise<void> => {
  const { statusCode: status = 0, headers } = await answerTo(url, body, signal);
  if (status >= 200 && status < 300) return;
  if (status === FORBIDDEN) throw new Expired();
  const code = headers['x-ms-error-code'];
  const message = `the blob store returned status ${status}${typeof code === 'string' ? ` (${code})` : ''}`;
  const is_transient = status === 408 || status === 429 || status >= 500;
  if (is_transient) throw new Error(message);
  throw new Refused({ tag: 'blob_failed', message });
};

const listOf = (blocks: readonly Block[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><BlockList>${blocks.map(({ id }) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;

/** A URL that is renewed once for all waiting requests. */
const renewableUrl = ({ url, renewed }: Target) => {
  let current = Promise.resolve(url);
  let renewals = 0;
  return {
    current: () => current,
    renewals: () => renewals,
    renew: (seen: number): void => {
      if (renewals !== seen) return;
      renewals += 1;
      current = renewed().then((answer) => {
        if (E.isLeft(answer)) throw new Refused(answer.left);
        return answer.right;
      });
      current.catch(() => undefined);
    },
  };
};

const reasonOf = (error: unknown): string => {
  if (error instanceof Expired) return 'the blob store refused the signature';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause);
};

/** Stores the blocks that are not stored yet, and commits all of them. */
export const putBlocks = async (
  target: Target,
  { block_bytes, clock, slots, policy, timeout_ms, on_bytes, stop }: PutBlocksOptions,
): Promise<E.Either<CliFault, null>> => {
  const { path, size_bytes, stored } = target;
  const url = renewableUrl(target);
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  const putRetried = (query: string, content: () => Promise<Buffer | string>): Promise<void> =>
    retry(
      async () => {
        const seen = url.renewals();
        const within = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]);
        await put(`${await url.current()}${query}`, await content(), within).catch((error: unknown) => {
          if (error instanceof Expired) url.renew(seen);
          throw error;
        });
      },
      { clock, signal, policy, isTransient: (error) => !(error instanceof Refused) },
    );
  const blocks = blocksOf(size_bytes, block_bytes);
  const sizes = new Map(stored.map((block) => [block.id, block.size_bytes]));
  let file: FileHandle | null = null;
  try {
    const opened = await open(path);
    file = opened;
    const putBlock = async (block: Block): Promise<void> => {
      signal.throwIfAborted();
      if (sizes.get(block.id) !== block.size_bytes)
        await putRetried(`&comp=block&blockid=${encodeURIComponent(block.id)}`, () => readBlock(opened, path, block));
      on_bytes(block.size_bytes);
    };
    // The file stays open until no block is read any longer.
    const results = await Promise.allSettled(
      blocks.map((block) =>
        slots(() =>
          putBlock(block).catch((error: unknown) => {
            failed.abort(error);
            throw error;
          }),
        ),
      ),
    );
    if (results.some(({ status }) => status === 'rejected')) throw failed.signal.reason;
    await putRetried('&comp=blocklist', async () => listOf(blocks));
    return E.right(null);
  } catch (error) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    if (error instanceof Refused) return E.left(error.fault);
    if (file === null) return E.left({ tag: 'unreadable_file', path, message: reasonOf(error) });
    return E.left({ tag: 'not_uploaded', path, message: reasonOf(error) });
  } finally {
    await file?.close().catch(() => undefined);
  }
};
