import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../../../cli/fault.ts';
import type { ApiClient, ApiRequest } from '../../../cli/http/api-client.ts';
import { awaitApproval, endSession } from '../../../cli/http/device-log-in.ts';
import { defaultTeam } from '../../../cli/http/me.ts';

const BEGUN = {
  ...{ device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'https://id.example.com/device' },
  ...{ expires_in_s: 20, interval_s: 5 },
};
const PENDING = { state: 'pending', interval_s: 5, token: null, expires_at: null };

/** A service that answers in order. The pauses advance the clock. */
const world = (answers: readonly E.Either<CliFault, object>[]) => {
  const asked: ApiRequest[] = [];
  const pauses: number[] = [];
  const stopping = new AbortController();
  const send: ApiClient['send'] = async (codec, request) => {
    const answer = answers[asked.push(request) - 1] ?? E.right(PENDING);
    if (E.isLeft(answer)) return answer;
    const body = codec.decode(answer.right);
    if (E.isLeft(body)) throw new Error('the answer is not valid');
    return E.right({ status: 200, headers: new Headers(), body: body.right });
  };
  const sendForBytes: ApiClient['sendForBytes'] = () => Promise.reject(new Error('no bytes'));
  const client: ApiClient = { address: { base_url: 'https://x', key_from: 'session' }, send, sendForBytes };
  const waiting = {
    stop: stopping.signal,
    clock: { monotonic: () => pauses.reduce((sum, one) => sum + one, 0) },
    pause: async (length_ms: number) => {
      pauses.push(length_ms);
    },
  };
  return { client, asked, pauses, stopping, waiting };
};

test('the log-in asks at the pace of the service until the approval', async (t) => {
  const signed_in = { state: 'signed_in', interval_s: null, token: 'vrs_1', expires_at: 7 };
  const { client, asked, pauses, waiting } = world(
    [PENDING, { ...PENDING, interval_s: 6 }, signed_in].map((one) => E.right(one)),
  );
  t.deepEqual(await awaitApproval(client, BEGUN, waiting), E.right({ token: 'vrs_1', expires_at: 7 }));
  t.deepEqual(pauses, [5_000, 5_000, 6_000]);
  t.deepEqual(asked[0]?.body, { device_code: 'd' });
  t.regex(asked[0]?.headers?.['User-Agent'] ?? '', /^renderctl\/\S+ \([\w.-]+\)$/);
});

test('the log-in ends when the code expires, on a refusal and on Ctrl-C', async (t) => {
  const expired = world([]);
  t.deepEqual(await awaitApproval(expired.client, BEGUN, expired.waiting), E.left({ tag: 'not_approved' }));
  t.is(expired.asked.length, 3);
  const denied = world([E.left({ tag: 'http', status: 403, message: 'denied' })]);
  t.like(await awaitApproval(denied.client, BEGUN, denied.waiting), { left: { status: 403 } });
  const stopped = world([]);
  stopped.stopping.abort();
  t.deepEqual(await awaitApproval(stopped.client, BEGUN, stopped.waiting), E.left({ tag: 'interrupted' }));
  t.is(stopped.asked.length, 0);
});

test('a session that has ended already needs no end', async (t) => {
  const over = world([E.left({ tag: 'http', status: 401, message: 'over' })]);
  t.true(E.isRight(await endSession(over.client)));
  const away = world([E.left({ tag: 'http', status: 503, message: 'away' })]);
  t.true(E.isLeft(await endSession(away.client)));
});

test('the only team is chosen, or a chosen one that the person still has', (t) => {
  const [one, two] = ['team_1', 'team_2'].map((id) => ({ id, name: id, account_id: 'acc_1', role: 'admin' }));
  if (one === undefined || two === undefined) return t.fail();
  t.is(defaultTeam([one], null), 'team_1');
  t.is(defaultTeam([one, two], null), null);
  t.is(defaultTeam([one, two], 'team_2'), 'team_2');
  t.is(defaultTeam([one], 'team_2'), 'team_1');
  t.is(defaultTeam([], 'team_2'), null);
});
