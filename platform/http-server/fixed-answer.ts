import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'restify';
import { sendNotModified, sendText } from './replies.ts';

/** Bytes that are the same for every request: a file of a page, or a document. */
export type FixedAnswer = {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed at the first request that accepts it, then cached. */
  readonly gzipped: () => Promise<Buffer>;
};

const compress = promisify(gzip);

/** How long clients may use it without revalidation; after that the ETag saves the transfer. */
const MAX_AGE_S = 300;

/** @param headers all headers, including ETag and Vary */
export const fixedBytes = (bytes: Buffer, headers: FixedAnswer['headers']): FixedAnswer => {
  let gzipped: Promise<Buffer> | undefined;
  return {
    bytes,
    headers,
    gzipped: () => {
      gzipped ??= compress(bytes);
      return gzipped;
    },
  };
};

/** @param headers for example a policy for pages; they override the default headers */
export const fixedAnswer = (
  bytes: Buffer,
  content_type: string,
  headers: Readonly<Record<string, string>> = {},
): FixedAnswer => {
  return fixedBytes(bytes, {
    'Content-Type': content_type,
    'Cache-Control': `public, max-age=${MAX_AGE_S}`,
    // A weak tag, because the compressed and the plain form share it.
    ETag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
};

/** A proxy may turn a strong tag into a weak one or the reverse; this comparison treats them as equal. */
const opaque = (etag: string): string => etag.trim().replace(/^W\//, '');

const lists = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((part) => opaque(part) === opaque(etag));

const takesGzip = (request: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));

/** Adds to the `Vary` header that is already on the response. */
const variedBy = (response: Response, { headers: { Vary = '' } }: FixedAnswer): string => {
  const before = response.getHeader('Vary');
  return before === undefined ? Vary : `${before}, ${Vary}`;
};

/** 304 if the client has it already; else the bytes, compressed if the client accepts that. */
export const sendFixed = async (request: Request, response: Response, answer: FixedAnswer): Promise<void> => {
  const { bytes } = answer;
  const headers: FixedAnswer['headers'] = { ...answer.headers, Vary: variedBy(response, answer) };
  const had = request.headers['if-none-match'];
  if (had === '*' || lists(had, headers.ETag ?? '')) return sendNotModified(response, headers);
  if (!takesGzip(request)) return sendText(response, bytes, headers);
  return sendText(response, await answer.gzipped(), { ...headers, 'Content-Encoding': 'gzip' });
};
