import * as E from 'fp-ts/lib/Either.js';
import type { Request, Response } from 'restify';
import { type ApiError, errorHeadersOf, STATUS_OF } from '../../platform/http-server/api-error.ts';
import { sendBytes, sendError, sendSeeOther } from '../../platform/http-server/replies.ts';

export type BrowserRedirect = { readonly location: string; readonly set_cookies: readonly string[] };

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => MARKUP[sign] ?? '');

/** A page without styles and scripts, because the Content-Security-Policy of this component allows none. */
const page = (message: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>You are not signed in</h1><p>${escaped(message)}</p>
<p><a href="/manage/v1/sign-in">Sign in</a></p></main></body></html>
`;

export const sendRedirectOrError = (
  request: Request,
  response: Response,
  led: E.Either<ApiError, BrowserRedirect>,
): void => {
  if (E.isRight(led)) sendSeeOther(response, led.right.location, { 'Set-Cookie': led.right.set_cookies });
  else if (request.headers.accept?.includes('text/html') !== true) sendError(response, led.left);
  else {
    const headers = { ...errorHeadersOf(led.left), 'Content-Type': 'text/html; charset=utf-8' };
    sendBytes(response, STATUS_OF[led.left.tag], Buffer.from(page(led.left.message)), headers);
  }
};
