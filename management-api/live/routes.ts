import * as E from 'fp-ts/lib/Either.js';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import type { AccountHandler, Route, RouteGuards } from '../access/route-guards.ts';
import { sessionCredential } from '../access/session-credential.ts';
import type { Listeners } from './listeners.ts';

export type LiveRouteDependencies = { readonly listeners: Listeners; readonly cookies: CookieNames };

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Without this header, proxies such as nginx buffer events.
  'X-Accel-Buffering': 'no',
} as const;

const listen =
  ({ listeners, cookies }: LiveRouteDependencies): AccountHandler =>
  async ({ headers }, { person, account }) => {
    const token_sha256 = sha256Hex(sessionCredential(headers, cookies)?.token ?? '');
    const { 'last-event-id': sent } = headers;
    const last_event_id = typeof sent === 'string' && sent !== '' ? sent : null;
    const joining = { person, token_sha256, account_id: account.id, last_event_id };
    const refusal = listeners.refusal(joining);
    if (refusal !== null) return E.left(refusal);
    return E.right({
      ...{ status: 200, body: null, headers: HEADERS },
      stream: (response) => {
        const leave = listeners.join(joining, response);
        if (leave === null) response.destroy();
        else response.once('close', leave);
      },
    });
  };

export const liveRoutes = (guards: RouteGuards, parts: LiveRouteDependencies): readonly Route[] => [
  guards.forAccountMember('GET', '/manage/v1/accounts/{account_id}/changes', listen(parts)),
];
