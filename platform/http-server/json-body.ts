import type { IncomingMessage } from 'node:http';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { ApiError } from './api-error.ts';

export const MAX_BODY_BYTES = 256 * 1024;

const tooLarge = (max_bytes: number): ApiError => ({
  tag: 'too_large',
  message: `the body is larger than ${max_bytes / 1024} KiB`,
});

export const TOO_LARGE: ApiError = tooLarge(MAX_BODY_BYTES);

const notJson = (message: string): ApiError => ({ tag: 'invalid', code: 'invalid_json', message });

const unsupported = (message: string): Either<ApiError, never> => left({ tag: 'unsupported_type', message });

export const checkContentType = (request: Pick<IncomingMessage, 'headers'>): Either<ApiError, void> => {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (media !== 'application/json') {
    return unsupported(`Content-Type must be application/json${media === '' ? '; there is none' : `, not ${media}`}`);
  }
  if (charset !== undefined && !['utf-8', 'utf8', '"utf-8"'].includes(charset)) {
    return unsupported('the charset of the body must be utf-8');
  }
  return encoding === 'identity' ? right(undefined) : unsupported('the body must not be compressed');
};

/** The server reads and discards the rest of a body that is too large. */
const readBytes = async (request: IncomingMessage, max_bytes: number): Promise<Either<ApiError, Buffer>> => {
  const too_large = left(tooLarge(max_bytes));
  if (Number(request.headers['content-length'] ?? 0) > max_bytes) return too_large;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= max_bytes) chunks.push(chunk);
      else resolve(too_large);
    });
    request.once('end', () => resolve(right(Buffer.concat(chunks))));
    request.once('error', () => resolve(left(notJson('the body ended too early'))));
    request.once('close', () => resolve(left(notJson('the body ended too early'))));
  });
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export const parseJson = (bytes: Uint8Array): Either<ApiError, unknown> => {
  if (bytes.length === 0) return left(notJson('the body is empty; it must be a JSON object'));
  try {
    return right(JSON.parse(UTF8.decode(bytes)));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not valid UTF-8';
    return left(notJson(`the body is not JSON: ${why}`));
  }
};

export const readJson = async (
  request: IncomingMessage,
  max_bytes = MAX_BODY_BYTES,
): Promise<Either<ApiError, unknown>> => {
  const refused = checkContentType(request);
  if (refused._tag === 'Left') return refused;
  const bytes = await readBytes(request, max_bytes);
  return bytes._tag === 'Left' ? bytes : parseJson(bytes.right);
};
