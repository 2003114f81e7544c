import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'undici';
import { messageOf } from '../../platform/logging/message-of.ts';

export type ForwardedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly fault: string | null;
};

/** The target's time to respond. It is shorter than the relay's timeout, so that the response can name the fault. */
const FORWARD_TIMEOUT_MS = 14_000;
const MAX_ANSWER_BYTES = 20_000;

/** Whether a header is forwarded. The other headers concern only the relay's connection. */
const isHandedOn = (name: string): boolean =>
  ['content-type', 'user-agent', 'traceparent'].includes(name) || /^(x-)?webhook-/.test(name);

const ANSWERED = ['content-type', 'retry-after', 'location'];

const picked = (headers: IncomingHttpHeaders, isWanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || !isWanted(name) ? [] : [[name, String(value)] as const],
    ),
  );

const answerOf = (status: number, fault: string): ForwardedResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(`${fault}\n`),
  fault,
});

const beginningOf = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size_bytes += chunk.length;
    if (size_bytes >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES);
};

/** The reason of a failed request: an AggregateError has a code, but no message. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return messageOf(error) || code || 'it does not answer';
};

/**
 * Forwards a delivery with the same bytes and signatures, and returns the target's response, including redirects. The
 * status is 502 if the target is unreachable, and 504 if it exceeds the timeout. Never rejects.
 *
 * @param stop cancels the request
 */
export const forwardDelivery = async (
  target: URL,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  stop: AbortSignal,
  timeout_ms: number = FORWARD_TIMEOUT_MS,
): Promise<ForwardedResponse> => {
  const late = AbortSignal.timeout(timeout_ms);
  const signal = AbortSignal.any([stop, late]);
  try {
    const answer = await request(target, {
      method: 'POST',
      headers: picked(headers, isHandedOn),
      body,
      signal,
      // A keep-alive connection would keep the process alive.
      reset: true,
    });
    return {
      status: answer.statusCode,
      headers: picked(answer.headers, (name) => ANSWERED.includes(name)),
      body: await beginningOf(answer.body),
      fault: null,
    };
  } catch (error) {
    if (late.aborted) return answerOf(504, `${target.origin} did not answer within ${timeout_ms / 1_000} s`);
    return answerOf(502, `${target.origin} cannot be reached: ${reasonOf(error)}`);
  }
};
