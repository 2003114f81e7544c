import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type DeviceRouteDependencies, deviceRoutes } from '../../../management-api/sign-in/device-routes.ts';
import type { DeviceFault, DeviceOutcome, ProviderFault } from '../../../management-api/sign-in/provider.ts';
import { errorBodyOf, STATUS_OF } from '../../../platform/http-server/api-error.ts';
import type { DeviceSignIn, DeviceSignIns } from '../../../read-models/sessions/device-sign-ins.ts';

const NOW = 1_000_000;
const CODE = 'device-code';
const IDENTITY = { subject: 'ada', is_operator: false, auth_time: NOW, profile: { name: 'Ada', email: null } };
const SIGNED_IN: DeviceOutcome = { tag: 'signed_in', identity: IDENTITY };

/** The rules of the store, for one process. */
const openTable = (): DeviceSignIns => {
  const rows = new Map<string, DeviceSignIn>();
  return {
    prepare: async () => undefined,
    begin: async (id, sign_in) => {
      rows.set(id, sign_in);
      return true;
    },
    takeTurn: async (id, now) => {
      const row = rows.get(id);
      if (row === undefined || row.expires_at <= now) return { tag: 'over' };
      const { interval_ms, next_poll_at, created_at } = row;
      if (now < next_poll_at) return { tag: 'wait', interval_ms, created_at };
      rows.set(id, { ...row, next_poll_at: now + interval_ms });
      return { tag: 'ask', interval_ms, created_at };
    },
    slowDown: async (id, interval_ms, now) => {
      const row = rows.get(id);
      if (row !== undefined) rows.set(id, { ...row, interval_ms, next_poll_at: now + interval_ms });
    },
    end: async (id) => rows.delete(id),
  };
};

type Script = readonly E.Either<ProviderFault, DeviceOutcome>[];

/** @param script the answers of the provider, in order */
const openWorld = (script: Script, change: Partial<DeviceRouteDependencies> = {}) => {
  let now = NOW;
  let polls = 0;
  const parts: DeviceRouteDependencies = {
    provider: {
      beginDevice: async () =>
        E.right({
          ...{ device_code: CODE, user_code: 'ABCD-EFGH', verification_uri: 'https://id.example.com/device' },
          ...{ expires_in_s: 60, interval_s: 5 },
        }),
      pollDevice: async () => {
        polls += 1;
        return script[polls - 1] ?? E.right({ tag: 'pending' });
      },
    },
    device_sign_ins: openTable(),
    beginBearerSession: async () => ({ token: `vrs_${'a'.repeat(43)}`, expires_at: NOW * 2 }),
    device_limits: async () => ({ allowed: true, headers: {}, retry_after_s: 1 }),
    isBehind: async () => false,
    ...{ issuer: 'https://id.example.com', identity_secret: 's', clock: { now: () => now } },
    ...change,
  };
  const routes = deviceRoutes(parts, () => undefined);
  const send = async (path: keyof typeof routes, body: object, headers = {}) => {
    const request = { headers: { 'content-type': 'application/json', ...headers }, json: async () => E.right(body) };
    const answer = await routes[path](Object.assign(Object.create(null), request));
    if (E.isRight(answer)) return [answer.right.status, Object(answer.right.body)] as const;
    return [STATUS_OF[answer.left.tag], errorBodyOf(answer.left)] as const;
  };
  return {
    begin: (headers = {}) => send('/manage/v1/device-sign-ins', {}, headers),
    poll: async (after_s = 5, device_code = CODE) => {
      now += after_s * 1_000;
      return await send('/manage/v1/device-sign-ins/poll', { device_code });
    },
    polls: () => polls,
  };
};

test('an approved program gets a session once', async (t) => {
  const { begin, poll } = openWorld([E.right({ tag: 'pending' }), E.right(SIGNED_IN), E.right(SIGNED_IN)]);
  const [status, begun] = await begin();
  t.is(status, 201);
  t.like(begun, { user_code: 'ABCD-EFGH', interval_s: 5, expires_in_s: 60 });
  t.like(await poll(), [200, { state: 'pending', token: null }]);
  t.like(await poll(), [200, { state: 'signed_in', expires_at: NOW * 2, interval_s: null }]);
  t.like(await poll(), [400, { param: 'device_code' }]);
});

test('an early request gets no answer of the provider', async (t) => {
  const { begin, poll, polls } = openWorld([]);
  await begin();
  await poll(0);
  t.like(await poll(4), [200, { state: 'pending', interval_s: 5 }]);
  t.is(polls(), 1);
  await poll(1);
  t.is(polls(), 2);
});

test('slow_down makes the interval five seconds longer, also for later requests', async (t) => {
  const { begin, poll, polls } = openWorld([E.right({ tag: 'slow_down' })]);
  await begin();
  t.like(await poll(), [200, { interval_s: 10 }]);
  t.like(await poll(9), [200, { interval_s: 10 }]);
  t.is(polls(), 1);
  await poll(1);
  t.is(polls(), 2);
});

test('an expired, unknown or denied code ends the sign-in', async (t) => {
  const expired = openWorld([E.right(SIGNED_IN)]);
  await expired.begin();
  t.is((await expired.poll(60))[0], 400, 'approved too late');
  t.is(expired.polls(), 0);
  t.is((await expired.poll(0, 'another-code'))[0], 400);
  const ends: readonly (readonly [Script[number], number])[] = [
    [E.right({ tag: 'expired' }), 400],
    [E.left({ tag: 'denied', error: null }), 403],
    [E.left({ tag: 'invalid', error: null }), 400],
  ];
  for (const [outcome, status] of ends) {
    const { begin, poll, polls } = openWorld([outcome, E.right(SIGNED_IN)]);
    await begin();
    t.is((await poll())[0], status);
    t.is((await poll())[0], 400, 'no later answer counts');
    t.is(polls(), 1);
  }
});

test('an unavailable provider does not end the sign-in', async (t) => {
  const { begin, poll } = openWorld([E.left({ tag: 'away', error: null }), E.right(SIGNED_IN)]);
  await begin();
  t.is((await poll())[0], 503);
  t.like(await poll(), [200, { state: 'signed_in' }]);
});

test('a person without a user gets no session for a program', async (t) => {
  const { begin, poll } = openWorld([E.right(SIGNED_IN)], { beginBearerSession: async () => 'guest' });
  await begin();
  t.like(await poll(), [403, { code: 'role_needed' }]);
});

test('browsers, floods and providers without a device flow are refused', async (t) => {
  t.like(await openWorld([]).begin({ origin: 'https://video.example.com' }), [403]);
  t.like(await openWorld([]).begin({ 'sec-fetch-site': 'none' }), [403]);
  t.like(await openWorld([]).begin({ 'content-type': 'text/plain' }), [415]);
  const full = openWorld([], { device_limits: async () => ({ allowed: false, headers: {}, retry_after_s: 1 }) });
  t.is((await full.begin())[0], 503);
  const beginDevice = async () => E.left<DeviceFault>({ tag: 'unsupported', error: null });
  const [status, body] = await openWorld([], {
    provider: { beginDevice, pollDevice: async () => E.right({ tag: 'pending' }) },
  }).begin();
  t.is(status, 409);
  t.regex(body.error, /OIDC_ISSUER_URL.*log in with an API key instead/);
});
