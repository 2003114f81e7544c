import type { Response } from 'restify';
import { type ApiError, headersOf, STATUS_OF } from './api-error.ts';

type Headers = Readonly<Record<string, string>>;

/** `body` is anything that JSON can say. */
export type Reply = { readonly status: number; readonly body: unknown; readonly headers?: Headers };

/**
 * Headers and body leave in one write, where restify's own `send` makes several: that is a fifth of the throughput.
 * `_sent` is how restify knows that it must not answer a second time.
 */
const send = (response: Response, status: number, body: unknown, headers: Headers): void => {
  if (response.headersSent) return;
  const text = JSON.stringify(body);
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  Object.assign(response, { _sent: true });
  response.writeHead(status);
  response.end(text);
};

const NONE: Headers = {};

export const sendReply = (response: Response, { status, body, headers = NONE }: Reply): void =>
  send(response, status, body, headers);

/** An error in the one form that there is: `{"error": "…"}`. */
export const sendError = (response: Response, error: ApiError): void =>
  send(response, STATUS_OF[error.tag], { error: error.message }, headersOf(error));
