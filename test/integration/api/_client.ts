import { isErrorCode } from '../../../schemas/http/error-codes.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type Answer, holdAgainstContract } from './_contract.ts';

export type { Answer };

const SERVED_WITHIN_MS = 60_000;

type Sent = { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** Rejects if the answer violates the OpenAPI document. */
export const send = async (url: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> => {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const parsed: unknown = json ? JSON.parse(text) : null;
  const answer = { status: response.status, headers: response.headers, text, body: parsed };
  holdAgainstContract(method, url, answer);
  return answer;
};

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

export const postJson = (url: string, key: string, body: unknown): Promise<Answer> =>
  send(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...bearer(key), 'Content-Type': 'application/json' },
  });

/**
 * Retries while the answer is 503, as a client does, because a busy service can refuse a request. Fails after a minute.
 */
export const untilServed = (ask: () => Promise<Answer>): Promise<Answer> => {
  let last = '';
  return pollUntil(
    'the service answers with another status than 503',
    async () => {
      const answer = await ask();
      if (answer.status !== 503) return answer;
      last = answer.text;
      return null;
    },
    SERVED_WITHIN_MS,
  ).catch((error: unknown) => {
    throw new Error(`503 for ${SERVED_WITHIN_MS} ms: ${last}`, { cause: error });
  });
};

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
