import * as E from 'fp-ts/lib/Either.js';
import { isErrorCode } from '../../../schemas/http/error-codes.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type Answer, holdAgainstContract } from './_contract.ts';

export type { Answer };

const SERVED_WITHIN_MS = 120_000;

type Sent = { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** Returns the first answer, also a 503. Rejects if the answer violates the OpenAPI document. */
export const sendOnce = async (url: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> => {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const parsed: unknown = json ? JSON.parse(text) : null;
  const answer = { status: response.status, headers: response.headers, text, body: parsed };
  holdAgainstContract(method, url, answer);
  return answer;
};

/**
 * Retries while the answer is 503 or 408 or the connection breaks, because a busy service can refuse a request. Fails
 * after two minutes.
 *
 * @param mayRepeat false for a request that could take effect twice; null means that no answer arrived
 */
export const untilServed = async <A extends { readonly status: number; readonly body: unknown }>(
  ask: () => Promise<A>,
  mayRepeat: (answer: A | null) => boolean = () => true,
): Promise<A> => {
  let last = '';
  const asked = await pollUntil(
    'the service answers with another status than 503',
    async () => {
      const now = await ask().then(E.right, E.left);
      const answer = E.isRight(now) ? now.right : null;
      // After 408 nothing was changed, because the request was not read in time. `fetch` rejects with a TypeError. Other
      // errors are violations of the document, which a retry must not hide.
      const is_over = E.isRight(now) ? ![408, 503].includes(now.right.status) : !(now.left instanceof TypeError);
      if (is_over || !(answer?.status === 408 || mayRepeat(answer))) return now;
      last = JSON.stringify(answer?.body ?? 'no answer');
      return null;
    },
    SERVED_WITHIN_MS,
  ).catch((error: unknown) => {
    throw new Error(`503 for ${SERVED_WITHIN_MS} ms: ${last}`, { cause: error });
  });
  if (E.isLeft(asked)) throw asked.left;
  return asked.right;
};

/** A repeat has no second effect: reads, cancellations, requests with a key, and requests that changed nothing. */
const mayRepeat =
  (url: string, { method = 'GET', headers = {} }: Sent) =>
  (answer: Answer | null): boolean =>
    method !== 'POST' ||
    url.endsWith('/cancel') ||
    Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key') ||
    answer?.text.includes('nothing was changed') === true;

/** Retries a 503 if a repeat has no second effect. Rejects if an answer violates the OpenAPI document. */
export const send = (url: string, sent: Sent = {}): Promise<Answer> =>
  untilServed(() => sendOnce(url, sent), mayRepeat(url, sent));

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const posting = (key: string, body: unknown): Sent => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { ...bearer(key), 'Content-Type': 'application/json' },
});

export const postJson = (url: string, key: string, body: unknown): Promise<Answer> => send(url, posting(key, body));

/** Returns the first answer, also a 503. */
export const postJsonOnce = (url: string, key: string, body: unknown): Promise<Answer> =>
  sendOnce(url, posting(key, body));

const MEMBERS = ['error', 'code', 'param'];

/** The message of an error; null if the body is not `{error, code}`, with or without `param`. */
export const errorOf = ({ body }: Answer): string | null =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  isErrorCode(Object(body).code) &&
  Object.keys(body).every((name) => MEMBERS.includes(name))
    ? body.error
    : null;

export const idOf = ({ body, text }: Answer): string => {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`no render: ${text}`);
};
