import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { openDeviceSignIns } from '../../../../read-models/sessions/device-sign-ins.ts';
import { openSessions } from '../../../../read-models/sessions/sessions.ts';
import { openSignIns } from '../../../../read-models/sessions/sign-ins.ts';
import { all, type Form, idsOf } from './form.ts';

const sessions_of = ['read-models/sessions/sessions.ts'];
const sign_ins_of = ['read-models/sessions/sign-ins.ts'];
const device_sign_ins_of = ['read-models/sessions/device-sign-ins.ts'];

const session = (id: string, created_at: number) => ({
  ...{ id, owner: 'user_1', identity_id: 'i', user_id: 'user_1', linked_at: 1, is_operator: false, is_guest: false },
  ...{ created_at, last_used_at: created_at, expires_at: 4_000_000_000_000, auth_time: null, user_agent: null },
});

const BEGUN = { nonce: 'n', code_verifier: 'v', return_to: '/', is_fresh: false, created_at: 1_000 };

export const SESSIONS: readonly Form[] = [
  {
    name: 'a session is found while it is unexpired and recently used',
    used_by: sessions_of,
    documents: [{ _id: 'hash', expires_at: 100, last_used_at: 50 }],
    operation: async ({ things }) => {
      const found = async (now: number, used_after: number) =>
        (await things.findOne({ _id: 'hash', expires_at: { $gt: now }, last_used_at: { $gt: used_after } })) !== null;
      return [await found(99, 49), await found(100, 49), await found(99, 50)];
    },
    expected: [true, false, false],
  },
  {
    name: 'the unexpired and recently used ones of many sessions',
    used_by: sessions_of,
    documents: [1, 2, 3, 4].map((n) => ({ _id: `hash ${n}`, expires_at: n * 10, last_used_at: 50 - n })),
    operation: async ({ things }) => {
      const wanted = { $in: ['hash 4', 'hash 1', 'hash 2', 'hash 9'] };
      const found = things.find({ _id: wanted, expires_at: { $gt: 10 }, last_used_at: { $gt: 46 } }, queryTimeout());
      return idsOf(await found.toArray());
    },
    expected: ['hash 2'],
  },
  {
    name: 'the last use never moves back, and restores no session',
    used_by: sessions_of,
    documents: [{ _id: 'hash', last_used_at: 50 }],
    operation: async ({ things }) => {
      for (const last_used_at of [60, 40]) await things.updateOne({ _id: 'hash' }, { $max: { last_used_at } });
      await things.updateOne({ _id: 'another' }, { $max: { last_used_at: 1 } });
      return await all(things);
    },
    expected: [{ _id: 'hash', last_used_at: 60 }],
  },
  {
    name: 'all sessions of one owner end, and no others',
    used_by: sessions_of,
    operation: async ({ store }) => {
      const sessions = openSessions(store.db);
      await sessions.prepare();
      for (let n = 1; n <= 3; n += 1)
        await sessions.begin(`of all ${n}`, { ...session(`sess_${n}`, n), owner: `user_${n === 3 ? 8 : 7}` });
      await sessions.endAllOf('user_7');
      return [(await sessions.listOf('user_7', 100, 0)).length, (await sessions.listOf('user_8', 100, 0)).length];
    },
    expected: [0, 1],
  },
  {
    name: 'the newest 20 sessions of an owner stay, and one of them ends once',
    used_by: sessions_of,
    operation: async ({ store }) => {
      const sessions = openSessions(store.db);
      await sessions.prepare();
      for (let n = 1; n <= 22; n += 1) await sessions.begin(`hash ${n}`, session(`sess_${n}`, n));
      const left = await sessions.listOf('user_1', 100, 0);
      const ends = [await sessions.endOf('user_2', 'sess_22'), await sessions.endOf('user_1', 'sess_22')];
      const again = await sessions.endOf('user_1', 'sess_22');
      await sessions.end('hash 21');
      return [left.length, left[0]?.id, left.at(-1)?.id, ends, again, (await sessions.listOf('user_1', 100, 0)).length];
    },
    expected: [20, 'sess_22', 'sess_3', [null, 'hash 22'], null, 18],
  },
  {
    name: 'one of several concurrent readers takes a sign-in, and only its initiator',
    used_by: sign_ins_of,
    operation: async ({ store }) => {
      const sign_ins = openSignIns(store.db);
      await sign_ins.prepare();
      const is_begun = await sign_ins.begin('state', 'browser', BEGUN);
      const others = [await sign_ins.take('state', 'another', 2_000), await sign_ins.take('state', 'browser', 601_000)];
      const taken = await Promise.all([1, 2, 3, 4].map(() => sign_ins.take('state', 'browser', 600_999)));
      return [is_begun, others, taken.filter((one) => one !== null)];
    },
    expected: [true, [null, null], [BEGUN]],
  },
  {
    name: 'one of several concurrent programs gets the turn, in each interval',
    used_by: device_sign_ins_of,
    operation: async ({ store }) => {
      const sign_ins = openDeviceSignIns(store.db);
      await sign_ins.prepare();
      const times = { created_at: 1_000, expires_at: 4_000_000_000_000, next_poll_at: 1_000 };
      const is_begun = await sign_ins.begin('code', { ...times, interval_ms: 5_000 });
      const turnsAt = async (now: number) =>
        (await Promise.all([1, 2, 3, 4].map(() => sign_ins.takeTurn('code', now)))).map(({ tag }) => tag).sort();
      const turns = [await turnsAt(1_000), await turnsAt(5_999), await turnsAt(6_000)];
      await sign_ins.slowDown('code', 10_000, 7_000);
      const later = [await sign_ins.takeTurn('code', 16_999), await sign_ins.takeTurn('code', 4_000_000_000_000)];
      const ends = await Promise.all([1, 2, 3].map(() => sign_ins.end('code')));
      return [is_begun, turns, later, ends.filter(Boolean).length, await sign_ins.takeTurn('code', 20_000)];
    },
    expected: [
      true,
      [
        ['ask', 'wait', 'wait', 'wait'],
        ['wait', 'wait', 'wait', 'wait'],
        ['ask', 'wait', 'wait', 'wait'],
      ],
      [{ tag: 'wait', interval_ms: 10_000, created_at: 1_000 }, { tag: 'over' }],
      1,
      { tag: 'over' },
    ],
  },
  {
    name: 'the estimated number of documents',
    used_by: sign_ins_of,
    documents: [{ _id: 'a' }, { _id: 'b' }],
    operation: async ({ things }) => {
      const count = await things.estimatedDocumentCount();
      return [Number.isInteger(count) && count >= 0, idsOf(await all(things))];
    },
    expected: [true, ['a', 'b']],
  },
];
