import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import { type Clock, SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { SERVICE_VERSION } from '../../platform/process/version.ts';
import type { ApiAnswer, ApiClient, ApiResult } from './api-client.ts';

const DeviceSignIn = t.type({
  device_code: t.string,
  user_code: t.string,
  verification_uri: t.string,
  expires_in_s: t.number,
  interval_s: t.number,
});
export type DeviceSignIn = t.TypeOf<typeof DeviceSignIn>;

const DeviceSignInResult = t.type({
  state: t.string,
  interval_s: nullable(t.number),
  token: nullable(t.string),
  expires_at: nullable(t.number),
});

export type SessionToken = { readonly token: string; readonly expires_at: number };

const PATH = '/manage/v1/device-sign-ins';
const MAX_HOST = 64;
const MS_PER_S = 1_000;
/** RFC 8628, section 3.2. */
const DEFAULT_INTERVAL_S = 5;

/** The list of sessions shows it, so that the person recognises the machine. */
const userAgent = (): string =>
  `renderctl/${SERVICE_VERSION} (${
    hostname()
      .replace(/[^\w.-]/g, '')
      .slice(0, MAX_HOST) || 'unknown'
  })`;

export const beginDeviceLogIn = async (client: ApiClient): ApiResult<DeviceSignIn> =>
  E.map(({ body }: ApiAnswer<DeviceSignIn>) => body)(await client.send(DeviceSignIn, { path: PATH, body: {} }));

type Waiting = {
  readonly stop: AbortSignal;
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Resolves after the time, or when `stop` aborts. */
  readonly pause?: (length_ms: number) => Promise<void>;
};

/** Asks at the service's pace until the person approves or denies, or the code expires. */
export const awaitApproval = async (
  client: ApiClient,
  { device_code, expires_in_s, interval_s }: DeviceSignIn,
  { stop, clock = SYSTEM_CLOCK, pause }: Waiting,
): ApiResult<SessionToken> => {
  const sleep = pause ?? ((ms: number) => wait(ms, undefined, { signal: stop }).catch(() => undefined));
  const over_at = clock.monotonic() + expires_in_s * MS_PER_S;
  const request = { path: `${PATH}/poll`, body: { device_code }, headers: { 'User-Agent': userAgent() } };
  for (let pause_s = interval_s; ; ) {
    await sleep(pause_s * MS_PER_S);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    if (clock.monotonic() >= over_at) return E.left({ tag: 'not_approved' });
    const answer = await client.send(DeviceSignInResult, request);
    if (E.isLeft(answer)) return answer;
    const { token, expires_at } = answer.right.body;
    if (token !== null && expires_at !== null) return E.right({ token, expires_at });
    pause_s = answer.right.body.interval_s ?? DEFAULT_INTERVAL_S;
  }
};

export const endSession = async (client: ApiClient): ApiResult<unknown> => {
  const ended = await client.send(t.unknown, { path: '/manage/v1/sign-out', body: {} });
  // The session has ended already.
  return E.isLeft(ended) && ended.left.tag === 'http' && ended.left.status === 401 ? E.right(null) : ended;
};
