import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'restify';
import { sendNotModified, sendText } from './replies.ts';

export type StaticResponse = {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes are compressed at the first request that accepts it, then cached. */
  readonly gzipped: () => Promise<Buffer>;
};

const compress = promisify(gzip);

/** Clients may use the answer without revalidation for this long. After that, the ETag saves the transfer. */
const MAX_AGE_S = 300;

export const staticBytes = (bytes: Buffer, headers: StaticResponse['headers']): StaticResponse => {
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

/** @param headers override the default headers, for example with a policy for pages */
export const staticResponse = (
  bytes: Buffer,
  content_type: string,
  headers: Readonly<Record<string, string>> = {},
): StaticResponse => {
  return staticBytes(bytes, {
    'Content-Type': content_type,
    'Cache-Control': `public, max-age=${MAX_AGE_S}`,
    // A weak tag, because the compressed and the plain form share it.
    ETag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
};

/** A proxy may turn a strong tag into a weak one or the reverse, so both are equal here. */
const opaque = (etag: string): string => etag.trim().replace(/^W\//, '');

const lists = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((part) => opaque(part) === opaque(etag));

const takesGzip = (request: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));

const variedBy = (response: Response, { headers: { Vary = '' } }: StaticResponse): string => {
  const before = response.getHeader('Vary');
  return before === undefined ? Vary : `${before}, ${Vary}`;
};

export const sendStatic = async (request: Request, response: Response, answer: StaticResponse): Promise<void> => {
  const { bytes } = answer;
  const headers: StaticResponse['headers'] = { ...answer.headers, Vary: variedBy(response, answer) };
  const had = request.headers['if-none-match'];
  if (had === '*' || lists(had, headers.ETag ?? '')) return sendNotModified(response, headers);
  if (!takesGzip(request)) return sendText(response, bytes, headers);
  return sendText(response, await answer.gzipped(), { ...headers, 'Content-Encoding': 'gzip' });
};
