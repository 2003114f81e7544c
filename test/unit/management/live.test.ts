import { EventEmitter } from 'node:events';
import test from 'ava';
import { openPeople } from '../../../management-api/access/people.ts';
import type { SessionHolder } from '../../../management-api/access/person.ts';
import { openEventIds } from '../../../management-api/live/event-id.ts';
import { ListenerQueue, RESET_FRAME } from '../../../management-api/live/listener-queue.ts';
import { type ListenerLimits, Listeners } from '../../../management-api/live/listeners.ts';
import { RecentChanges } from '../../../management-api/live/recent-changes.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';

/** A reader that accepts writes only while it reads. */
const outlet = (reads = true) => {
  const emitter = new EventEmitter();
  const state = { reads, text: '', ended: false, destroyed: false };
  const out = {
    write: (text: string) => {
      state.text += text;
      return state.reads;
    },
    end: (text = '') => {
      state.text += text;
      state.ended = true;
    },
    destroy: () => {
      state.destroyed = true;
    },
    on: (event: string, then: () => void) => emitter.on(event, then),
  };
  return { state, out, drain: () => emitter.emit('drain') };
};

const later = () => {
  const runs: (() => void)[] = [];
  return {
    runs,
    after: (_ms: number, run: () => void) => {
      runs.push(run);
      return () => undefined;
    },
  };
};

test("a slow reader's backlog is limited; beyond it the stream resets and ends", (t) => {
  const { state, out } = outlet(false);
  const clock = later();
  const queue = new ListenerQueue(out, clock, { frames: 10, bytes: 1_000, end_within_ms: 5 });
  let pushed = 0;
  while (queue.push({ text: 'x'.repeat(200), about: null })) {
    pushed += 1;
    t.true(queue.waiting_bytes <= 1_000);
  }
  t.is(pushed, 6, 'one was written, five wait');
  t.is(queue.waiting_bytes, 0);
  t.deepEqual([state.ended, state.destroyed], [true, false]);
  t.true(state.text.endsWith(RESET_FRAME));
  t.false(queue.push({ text: 'y', about: null }));
  for (const run of clock.runs) run();
  t.true(state.destroyed, 'a reader that does not even read that is disconnected');
});

test('waiting frames of one render merge; others arrive in order', (t) => {
  const { state, out, drain } = outlet(false);
  const queue = new ListenerQueue(out, later());
  for (const text of ['a', 'b', 'c']) queue.push({ text, about: null });
  for (let n = 0; n < 1_000; n += 1) queue.push({ text: 'p', about: 'rend_1' });
  t.is(state.text, 'a');
  state.reads = true;
  drain();
  t.is(state.text, 'abcp');
});

test('event ids are valid at every process with the secret, only for their account', (t) => {
  const ids = openEventIds('s'.repeat(32));
  const positions = [0, 1, 127, 128, 300_000_000_000];
  const id = ids.encode('acc_1', positions);
  t.deepEqual(openEventIds('s'.repeat(32)).decode('acc_1', id), positions);
  t.is(ids.decode('acc_2', id), null);
  t.is(openEventIds('t'.repeat(32)).decode('acc_1', id), null);
  const bytes = Buffer.from(id, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const forged = Buffer.from(bytes);
    forged[at] = (forged[at] ?? 0) ^ 1;
    t.is(ids.decode('acc_1', forged.toString('base64url')), null);
  }
  for (const wrong of ['', 'x', '%', 'é', 'A'.repeat(100_000)]) t.is(ids.decode('acc_1', wrong), null);
});

const change = (partition: number, offset: number, render_id = `rend_${partition}_${offset}`) => ({
  ...{ partition, offset, render_id, project_id: 'proj_1', team_id: 'team_1', account_id: 'acc_1' },
});

test('a returning client gets the missed events that the process still has', (t) => {
  const recent = new RecentChanges(3);
  recent.hasPartitions(2);
  recent.begin(0, 10, 11);
  t.is(recent.positions(), null, 'the other render is not known yet');
  recent.begin(1, 5, 5);
  t.is(recent.positions(), null, 'an earlier event can be read');
  recent.passed(0, 10, change(0, 10));
  t.deepEqual(recent.positions(), [11, 5]);
  t.deepEqual(recent.since('acc_1', [10, 5], 9), [change(0, 10)]);
  t.deepEqual(recent.since('acc_2', [10, 5], 9), []);
  t.is(recent.since('acc_1', [9, 5], 9), null, 'before the start of the process');
  t.is(recent.since('acc_1', [10], 9), null);
  t.deepEqual(recent.since('acc_1', [99, 99], 9), [], 'an id from a process that is ahead');
  t.false(recent.passed(0, 10, change(0, 10)), 'the event was read before');
  for (const offset of [5, 6, 7]) recent.passed(1, offset, change(1, offset, 'rend_same'));
  t.is(recent.since('acc_1', [10, 5], 9), null, 'the first event is dropped');
  t.deepEqual(recent.since('acc_1', [11, 5], 9), [change(1, 7, 'rend_same')], 'each render once');
  t.is(recent.since('acc_1', [11, 5], 0), null, 'more events than the history has');
  recent.begin(0, 3, 3);
  t.is(recent.since('acc_1', [2, 8], 9), null, 'the log is a different one');
  t.deepEqual(recent.since('acc_1', [3, 8], 9), []);
});

test('the newest changes are kept, up to the limit', (t) => {
  const recent = new RecentChanges(50);
  recent.hasPartitions(1);
  recent.begin(0, 0, 0);
  for (let offset = 0; offset < 1_000; offset += 1) recent.passed(0, offset, change(0, offset));
  t.is(recent.since('acc_1', [949], 1_000), null);
  t.is(recent.since('acc_1', [950], 1_000)?.length, 50);
});

const ALIVE = 'event: alive\ndata: {}\n\n';

const personOf = (user_id: string, roles: readonly string[]): SessionHolder & { readonly user_id: string } => ({
  session: {
    ...{ id: 's', owner: 'o', identity_id: 'i', user_id, linked_at: null, is_operator: false, is_guest: false },
    ...{ created_at: 0, last_used_at: 0, expires_at: 9, auth_time: null, user_agent: null },
  },
  ...{ user_id, is_operator: false, owned_accounts: new Set<string>() },
  roles: new Map(roles.map((id) => [id, 'member' as const])),
});

const world = (given: Partial<ListenerLimits> = {}) => {
  const limits = { session: 9, person: 9, account: 999, process: 999, ...given };
  const state = { now: 0, found: new Map<string, SessionHolder>(), is_behind: false };
  const listeners = new Listeners({
    people: {
      findAll: async () => state.found,
    },
    hasPartIn: async ({ roles }) => roles.size > 0,
    isBehind: async () => state.is_behind,
    ids: openEventIds('s'),
    clock: { ...SYSTEM_CLOCK, ...later(), monotonic: () => state.now },
    random: () => 0,
    limits,
  });
  listeners.recent.hasPartitions(1);
  listeners.recent.begin(0, 0, 0);
  const join = (
    user: string,
    token_sha256: string,
    roles = ['team_1'],
    last_event_id: string | null = null,
    account_id = 'acc_1',
  ) => {
    const one = outlet();
    const person = personOf(user, roles);
    const joining = { person, token_sha256, account_id, last_event_id };
    const refusal = listeners.refusal(joining);
    return { ...one, refusal, leave: refusal === null ? listeners.join(joining, one.out) : null };
  };
  return { state, listeners, join };
};

test('streams are limited by session, person, account and process, and closed ones make room', (t) => {
  const { join, listeners } = world({ session: 2, person: 3, account: 4, process: 5 });
  const first = join('ada', 'a');
  join('ada', 'a');
  t.like(join('ada', 'a').refusal, { tag: 'rate_limited' });
  join('ada', 'b');
  t.like(join('ada', 'c').refusal, { tag: 'rate_limited' });
  join('mia', 'd');
  t.like(join('eve', 'e').refusal, { tag: 'rate_limited' }, 'one account leaves room for the others');
  t.is(join('eve', 'e', ['team_2'], null, 'acc_2').refusal, null);
  t.like(join('olga', 'o', ['team_2'], null, 'acc_2').refusal, { tag: 'unavailable' });
  first.leave?.();
  t.is(join('olga', 'o').refusal, null);
  t.is(listeners.count, 5);
});

test('a reader that loses access gets no further event, and its stream ends', async (t) => {
  const { join, listeners, state } = world();
  const [ada, mia] = [join('ada', 'a'), join('mia', 'm', ['team_1', 'team_2'])];
  state.found = new Map([['m', personOf('mia', ['team_2'])]]);
  await listeners.look();
  t.true(ada.state.ended);
  t.false(mia.state.ended);
  listeners.passed(0, 0, change(0, 0));
  t.notRegex(ada.state.text + mia.state.text, /changed/);
  listeners.passed(0, 1, { ...change(0, 1), team_id: 'team_2' });
  t.regex(mia.state.text, /rend_0_1.*\nid: /);
  listeners.passed(0, 2, { ...change(0, 2), team_id: 'team_2', account_id: 'acc_2' });
  t.notRegex(mia.state.text, /rend_0_2/);
});

test('a reader with unknown access gets missed events once access is confirmed', async (t) => {
  const { join, listeners, state } = world();
  const [ada, mia, eve] = [join('ada', 'a'), join('mia', 'm'), join('eve', 'e')];
  const all = [ada, mia, eve];
  listeners.passed(0, 0, change(0, 0));
  state.is_behind = true;
  state.now = 6_000;
  await listeners.look();
  listeners.tick();
  const before = all.map(({ state: { text } }) => text);
  listeners.passed(0, 1, change(0, 1));
  listeners.beat({
    attempts: [{ render_id: 'rend_0_0', attempt_id: 'att', stage: 'rendering', frames_done: 1, frames_total: 9 }],
  });
  listeners.heartbeat();
  // Only a keep-alive: the client resumes from its last id.
  t.deepEqual(
    all.map(({ state: { text } }) => text),
    before.map((text) => `${text}${ALIVE}`),
  );
  state.is_behind = false;
  state.found = new Map([
    ['a', personOf('ada', ['team_1'])],
    ['e', personOf('eve', ['team_2'])],
  ]);
  await listeners.look();
  const [to_ada, to_mia, to_eve] = all.map(({ state: { text } }, n) => text.slice(before[n]?.length));
  t.regex(to_ada ?? '', /^event: alive\ndata: \{\}\n\nevent: changed\ndata: .*rend_0_1.*\n\nid: \S+\n\n$/);
  t.deepEqual([to_mia, mia.state.ended], [ALIVE, true], 'a removed reader gets none of the missed events');
  t.regex(to_eve ?? '', /^event: alive\ndata: \{\}\n\nid: \S+\n\n$/, 'nor does a person in another team now');
  listeners.passed(0, 2, change(0, 2));
  t.regex(ada.state.text, /rend_0_2/);
});

test('after a minute of unknown access the stream ends, with a reset later', async (t) => {
  const { join, listeners, state } = world();
  const [ada, mia] = [join('ada', 'a'), join('mia', 'm')];
  state.now = 6_000;
  listeners.tick();
  listeners.unreadable(0, 0);
  t.notRegex(ada.state.text, /reset/);
  state.found = new Map([['a', personOf('ada', ['team_1'])]]);
  await listeners.look();
  t.regex(ada.state.text, /event: reset\ndata: \{\}\n\nid: \S+\n\n$/);
  t.true(mia.state.ended);
  state.now += 61_000;
  listeners.tick();
  t.true(ada.state.ended);
  t.is(listeners.count, 0);
});

test('sessions are checked in the store in groups', async (t) => {
  const asked: number[] = [];
  const note = <A>(ids: readonly string[], answer: A): A => {
    asked.push(ids.length);
    return answer;
  };
  const { session } = personOf('user', []);
  const people = openPeople(
    {
      sessions: {
        ...{ find: async () => null, use: async () => undefined, end: async () => undefined },
        findAll: async (ids) =>
          note(ids, new Map(ids.map((id) => [id, { ...session, user_id: `user_${id}`, identity_id: id }]))),
      },
      read_model: {
        ...{ find: async () => null, membershipsOf: async () => [], ownershipsOf: async () => [] },
        entities: async (_kind, ids) => note(ids, []),
        membershipsOfAll: async (ids) => note(ids, []),
        ownershipsOfAll: async (ids) => note(ids, []),
      },
    },
    { idle_s: 3_600 },
    SYSTEM_CLOCK,
  );
  await people.findAll(Array.from({ length: 120 }, (_, n) => `token_${n}`));
  t.deepEqual(
    asked.toSorted((a, b) => a - b),
    [20, 20, 20, 20, 20, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50],
  );
});

test('an erased person is no longer watched, although the identity is still linked', async (t) => {
  const { session } = personOf('user', []);
  const identity = {
    ...{ kind: 'identity' as const, id: session.identity_id, user_id: 'user', linked_at: session.linked_at },
    ...{ unlinked_at: null, changed_at: 0 },
  };
  const watchedOf = async (erased: { readonly at: number; readonly by: string } | undefined) => {
    const user = { kind: 'user' as const, id: 'user', registered_at: 0, email: null, ...(erased && { erased }) };
    const membership = {
      kind: 'membership' as const,
      id: 'm',
      team_id: 'team',
      user_id: 'user',
      role: 'admin' as const,
    };
    const people = openPeople(
      {
        sessions: {
          ...{ find: async () => null, use: async () => undefined, end: async () => undefined },
          findAll: async (ids) => new Map(ids.map((id) => [id, session])),
        },
        read_model: {
          ...{ find: async () => null, membershipsOf: async () => [], ownershipsOf: async () => [] },
          entities: async (kind: string) => (kind === 'user' ? [user] : [identity]) as never,
          membershipsOfAll: async () => [{ ...membership, removed: false, since: 0 }] as never,
          ownershipsOfAll: async () => [],
        },
      },
      { idle_s: 3_600 },
      SYSTEM_CLOCK,
    );
    return (await people.findAll(['token'])).size;
  };
  t.is(await watchedOf(undefined), 1);
  t.is(await watchedOf({ at: 1, by: 'user:user' }), 0);
});

test('progress of known renders is sent at most once a second', (t) => {
  const { join, listeners, state } = world();
  const { state: heard } = join('ada', 'a');
  const beat = (render_id: string, frames_done: number) =>
    listeners.beat({ attempts: [{ render_id, attempt_id: 'att', stage: 'rendering', frames_done, frames_total: 9 }] });
  const told = (): number => heard.text.split('rend_0_0').length - 1;
  beat('rend_0_0', 1);
  t.is(told(), 0, "the render's account is unknown");
  listeners.passed(0, 0, change(0, 0));
  beat('rend_0_0', 1);
  t.is(told(), 2);
  beat('rend_0_0', 2);
  t.is(told(), 2);
  state.now = 1_000;
  beat('rend_0_0', 1);
  t.is(told(), 2);
  beat('rend_0_0', 2);
  t.is(told(), 3);
});

test('a returning reader gets missed events, or a reset', (t) => {
  const { join, listeners } = world();
  const first = join('ada', 'a');
  const id = /id: (\S+)/.exec(first.state.text)?.[1] ?? '';
  t.notRegex(first.state.text, /reset/);
  listeners.passed(0, 0, change(0, 0));
  listeners.passed(0, 1, { ...change(0, 1), team_id: 'team_9' });
  const again = join('ada', 'a', ['team_1'], id);
  t.regex(again.state.text, /rend_0_0/);
  t.notRegex(again.state.text, /rend_0_1|reset/);
  t.regex(join('ada', 'a', ['team_1'], `${id}A`).state.text, /event: reset/);
  listeners.endAll();
  t.true(again.state.ended);
  t.like(join('ada', 'a').refusal, { tag: 'unavailable' });
});

test('keep-alives are events with the current id', (t) => {
  const { join, listeners } = world();
  const { state } = join('ada', 'a');
  listeners.passed(0, 0, { ...change(0, 0), account_id: 'acc_2' });
  listeners.heartbeat();
  const [begun, now] = [...state.text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id);
  t.regex(state.text, /event: alive\ndata: \{\}\nid: \S+\n\n$/);
  t.not(begun, now);
});

test('an unreadable record resets all readers, also later ones', (t) => {
  const { join, listeners, state } = world();
  const ada = join('ada', 'a');
  const id = /id: (\S+)/.exec(ada.state.text)?.[1] ?? '';
  const resets = (): number => ada.state.text.split(RESET_FRAME).length - 1;
  listeners.unreadable(0, 0);
  t.is(resets(), 1);
  t.regex(join('ada', 'b', ['team_1'], id).state.text, /event: reset/);
  for (let offset = 1; offset < 100; offset += 1) listeners.unreadable(0, offset);
  t.is(resets(), 1, 'not one check for each');
  state.now = 11_000;
  listeners.tick();
  t.is(resets(), 2, 'but one after the last');
  state.now = 22_000;
  listeners.tick();
  t.is(resets(), 2);
});

test('announcements reach the team and the owners; a paused reader reads all again', async (t) => {
  const { join, listeners, state } = world();
  const [ada, mia] = [join('ada', 'a', ['team_1']), join('mia', 'm', ['team_2'])];
  listeners.announce({ type: 'endpoint', id: 'whe_1', account_id: 'acc_1', team_id: 'team_1' });
  listeners.announce({ type: 'account', id: 'acc_2', account_id: 'acc_2', team_id: null });
  t.true(ada.state.text.endsWith('event: changed\ndata: {"type":"endpoint","id":"whe_1","team_id":"team_1"}\n\n'));
  t.notRegex(mia.state.text + ada.state.text.replace('whe_1', ''), /whe_1|acc_2/);
  t.deepEqual([listeners.hears('acc_1'), listeners.hears('acc_2')], [true, false]);
  state.now = 6_000;
  listeners.tick();
  listeners.announce({ type: 'account', id: 'acc_1', account_id: 'acc_1', team_id: null });
  t.notRegex(ada.state.text, /acc_1/);
  state.found = new Map([['a', personOf('ada', ['team_1'])]]);
  await listeners.look();
  t.regex(ada.state.text, /event: reset/);
});
