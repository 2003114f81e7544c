import test from 'ava';
import { ulid } from 'ulid';
import { createAccount, renameAccount } from '../../../../catalogue/accounts.ts';
import { linkIdentity } from '../../../../catalogue/identities.ts';
import { addMember, removeMember } from '../../../../catalogue/members.ts';
import { createTeam, renameTeam } from '../../../../catalogue/teams.ts';
import { registerUser } from '../../../../catalogue/users.ts';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { startLive } from '../../../../management-api/live/start-live.ts';
import { sha256Hex } from '../../../../platform/access/sha256.ts';
import { partitionOfKey } from '../../../../platform/event-log/partition-of-key.ts';
import { createLogger } from '../../../../platform/logging/logger.ts';
import { createMetrics } from '../../../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../../../platform/process/clock.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { metaBy, prepared, requested } from '../../../helpers/render-events.ts';
import type { Browser } from '../_browser.ts';
import { apiIn, browserWith, made, sessionOf } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

type Heard = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: () => string;
  readonly announced: (type: string, id: string) => boolean;
  readonly named: () => readonly string[];
  readonly last_id: () => string;
  readonly is_over: () => boolean;
  readonly leave: () => void;
};

const listenTo = async (url: string, browser: Browser, last_event_id?: string): Promise<Heard> => {
  const leaving = new AbortController();
  const headers: Record<string, string> = last_event_id === undefined ? {} : { 'Last-Event-ID': last_event_id };
  const answer = await browser.ask(url, { headers, signal: leaving.signal });
  let text = '';
  let is_over = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) text += decoder.decode(part, { stream: true });
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      is_over = true;
    });
  await pollUntil('the stream has begun', async () => is_over || text.includes('id: '));
  return {
    ...{ status: answer.status, headers: answer.headers },
    text: () => text,
    announced: (type, id) => text.includes(`"type":"${type}","id":"${id}"`),
    named: () => [...text.matchAll(/"type":"render","id":"(\w+)"/g)].map(([, id]) => id ?? ''),
    last_id: () => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '',
    is_over: () => is_over,
    leave: () => leaving.abort(),
  };
};

/** The process refuses streams until it has found its position in the log. */
const heardBy = async (browser: Browser, account_id: string, last_event_id?: string): Promise<Heard> =>
  await pollUntil('the stream is open', async () => {
    const heard = await listenTo(`${world.manage}/accounts/${account_id}/changes`, browser, last_event_id);
    return heard.status === 503 ? null : heard;
  });

const append = async (...events: readonly RenderEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await world.clients.records.append('render-events', event.render_id, event);
    if (appended._tag === 'Left') throw new Error(appended.left.message);
  }
};

const beginningOf = (account_id: string, team_id: string) => {
  const render_id = `rend_${ulid()}`;
  return { render_id, first: requested({ render_id, account_id, team_id }), second: { ...prepared, render_id } };
};

const newcomer = async (who: string, team_id: string): Promise<readonly [Browser, Browser]> => {
  const { catalogue, identityOf } = world;
  await made(registerUser(catalogue, `user_${who}`));
  await made(linkIdentity(catalogue, { identity_id: identityOf(who), user_id: `user_${who}` }));
  await made(addMember(catalogue, { team_id, user_id: `user_${who}`, role: 'member' }));
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  const signedIn = async (): Promise<Browser> => browserWith(await sessionOf(world, api, who));
  const browsers = [await signedIn(), await signedIn()] as const;
  await api.close();
  return browsers;
};

/** Reconnects after each end or refusal with the last id, as EventSource does. */
const loyalListener = (browser: Browser, account_id: string) => {
  const streams: Heard[] = [];
  let has_left = false;
  const lastId = (): string | undefined => streams.map((one) => one.last_id()).findLast((id) => id !== '');
  const listenOn = async (): Promise<void> => {
    while (!has_left) {
      const heard = await heardBy(browser, account_id, lastId());
      streams.push(heard);
      await pollUntil('the stream is over, or has enough events', async () => has_left || heard.is_over(), 60_000);
      heard.leave();
    }
  };
  const over = listenOn();
  return {
    has_begun: () => streams.length > 0,
    named: () => streams.flatMap((one) => one.named()),
    text: () => streams.map((one) => one.text()).join(''),
    leave: async (): Promise<void> => {
      has_left = true;
      await over;
    },
  };
};

/** A starting process reads fewer than this number of events from before its start. */
const MORE_THAN_KEPT = 65;

// Runs first, because it restarts processes that the other tests need.
test.serial('a client that resumes after a restart misses no change or reads all again', async (t) => {
  t.timeout(450_000);
  const { account_id, as, stack, clients, catalogue } = world;
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Restarts' }));
  const beginning = () => beginningOf(account_id, team_id);
  const early = await heardBy(as.otto, account_id);
  early.leave();
  const listener = loyalListener(as.otto, account_id);
  await pollUntil('the stream is open', async () => listener.has_begun());
  const partitions = await clients.records.log.partitions('render-status');
  const isInFirst = ({ render_id }: { readonly render_id: string }) => partitionOfKey(render_id, partitions) === 0;
  const many = Array.from({ length: MORE_THAN_KEPT * partitions * 4 }, beginning);
  const of_one_partition = many.filter(isInFirst).slice(0, MORE_THAN_KEPT);
  await Promise.all(of_one_partition.map(({ first }) => append(first)));
  const isTold = ({ render_id }: { readonly render_id: string }): boolean => listener.named().includes(render_id);
  await pollUntil('all events are sent', async () => of_one_partition.every(isTold));

  const restarts: readonly (readonly [string, NodeJS.Signals])[] = [
    ['management-api', 'SIGKILL'],
    ['gateway', 'SIGTERM'],
    ['management-api', 'SIGTERM'],
  ];
  for (const [name, signal] of restarts) {
    const component = stack.component(name);
    const [before, meanwhile, after] = [beginning(), beginning(), beginning()];
    const pid = component.pid();
    await append(before.first);
    component.kill(signal);
    await append(meanwhile.first);
    await pollUntil(`${name} is another process`, async () => component.pid() !== null && component.pid() !== pid);
    await component.untilReady();
    await append(after.first);
    await pollUntil(`${name}, ${signal}: all events are sent`, async () => [before, meanwhile, after].every(isTold));
  }
  t.notRegex(listener.text(), /reset/);
  await listener.leave();
  const late = await heardBy(as.otto, account_id, early.last_id());
  t.regex(late.text(), /event: reset/, 'older than all events of the process');
  late.leave();
});

test('people get the renders of their teams only, in order of change', async (t) => {
  const { account_id, team_id, as, catalogue } = world;
  const other_team = await made(createTeam(catalogue, { account_id, name: 'Another team' }));
  const elsewhere = await made(createAccount(catalogue, { name: 'Elsewhere', unlimited_credits: true }));
  const team_elsewhere = await made(createTeam(catalogue, { account_id: elsewhere.id, name: 'Elsewhere' }));
  const [nils] = await newcomer('nils', team_elsewhere.id);
  const [mia, otto, heard_elsewhere] = await Promise.all([
    heardBy(as.mia, account_id),
    heardBy(as.otto, account_id),
    heardBy(nils, elsewhere.id),
  ]);
  t.is(mia.headers.get('content-type'), 'text/event-stream');
  t.is(mia.headers.get('x-accel-buffering'), 'no');
  t.is(mia.headers.get('cache-control'), 'no-store');
  const [own, others, foreign] = [
    beginningOf(account_id, team_id),
    beginningOf(account_id, other_team.id),
    beginningOf(elsewhere.id, team_elsewhere.id),
  ];
  await append(foreign.first, others.first, own.first);
  const countOf = (heard: Heard, id: string): number => heard.named().filter((one) => one === id).length;
  await pollUntil('the first change is sent', async () => countOf(mia, own.render_id) === 1);
  const read = async () => (await ask(world, as.mia, 'GET', `/teams/${team_id}/renders/${own.render_id}`)).body;
  t.like(await read(), { status: 'initializing' }, 'a named render can be read');
  await append(own.second);
  await pollUntil('the second change is sent', async () => countOf(mia, own.render_id) === 2);
  t.like(await read(), { status: 'ready' });
  await pollUntil(
    'owners get all events',
    async () => countOf(otto, own.render_id) === 2 && countOf(otto, others.render_id) === 1,
  );
  await pollUntil('each account gets its own events', async () => countOf(heard_elsewhere, foreign.render_id) === 1);
  t.is(countOf(mia, others.render_id) + countOf(mia, foreign.render_id) + countOf(otto, foreign.render_id), 0);
  t.is(countOf(heard_elsewhere, own.render_id) + countOf(heard_elsewhere, others.render_id), 0);

  // Progress, which is not in the render's log.
  const attempt = { render_id: own.render_id, attempt_id: 'att_1', stage: 'rendering', frames_total: 9 };
  await world.clients.records.append('worker-heartbeats', 'wkr_test', {
    ...{ type: 'WorkerBeat', meta: metaBy('worker:wkr_test'), worker_id: 'wkr_test', beat: 1, slots: 0 },
    ...{
      draining: true,
      attempts: [{ ...attempt, frames_done: 3 }],
      failed: [],
      engines: [1],
      impediments: [],
      wanted: [],
      helps: [],
    },
  });
  await pollUntil('the progress is sent', async () => countOf(mia, own.render_id) === 3);
  for (const heard of [mia, otto, heard_elsewhere]) heard.leave();
});

test('changes of teams and accounts are announced when pages can read them', async (t) => {
  const { catalogue } = world;
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Live', unlimited_credits: true }));
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Own' }));
  const { id: other_team } = await made(createTeam(catalogue, { account_id, name: 'Other' }));
  const [lena] = await newcomer('lena', team_id);
  const [lars] = await newcomer('lars', other_team);
  const [own, other] = await Promise.all([heardBy(lena, account_id), heardBy(lars, account_id)]);
  await made(renameTeam(catalogue, other_team, 'Still other'));
  await made(renameTeam(catalogue, team_id, 'Renamed'));
  await pollUntil('a member hears of the team', async () => own.announced('team', team_id));
  t.like((await ask(world, lena, 'GET', `/teams/${team_id}`)).body, { name: 'Renamed' }, 'a page sees it at once');
  await made(renameAccount(catalogue, account_id, 'Renamed'));
  await pollUntil('all hear of the account', async () => own.announced('account', account_id));
  await pollUntil('and of their team', async () => other.announced('team', other_team));
  t.false(own.announced('team', other_team));
  for (const heard of [own, other]) heard.leave();
});

test('deliveries of an endpoint are announced when pages can read them', async (t) => {
  const { account_id, as, catalogue } = world;
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Deliveries' }));
  const { body: made_endpoint } = await ask(world, as.otto, 'POST', `/teams/${team_id}/endpoints`, {
    ...{ url: 'https://localhost:1/closed', events: ['render.complete'] },
  });
  const endpoint = `/teams/${team_id}/endpoints/${made_endpoint.id}`;
  const otto = await heardBy(as.otto, account_id);
  t.like(await ask(world, as.otto, 'POST', `${endpoint}/test`), { status: 202 });
  await pollUntil('the delivery is announced', async () => otto.announced('endpoint', String(made_endpoint.id)));
  const { body: listed } = await ask(world, as.otto, 'GET', `${endpoint}/deliveries`);
  t.is(Object(listed).data.length, 1, 'a page sees it at once');
  otto.leave();
});

test('a resuming client gets the missed changes from any process, or reads all again', async (t) => {
  const { account_id, team_id, as, eves, clients } = world;
  const before = await heardBy(as.mia, account_id);
  const id = before.last_id();
  before.leave();
  const missed = beginningOf(account_id, team_id);
  const witness = await heardBy(as.ada, account_id);
  await append(missed.first);
  await pollUntil('the change is sent', async () => witness.named().includes(missed.render_id));
  const after = await heardBy(as.mia, account_id, id);
  t.true(after.named().includes(missed.render_id));
  t.notRegex(after.text(), /reset/);

  const forged = `${id.slice(0, -2)}${id.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const wrong of [forged, 'nonsense', witness.last_id().slice(1)]) {
    const heard = await heardBy(as.mia, account_id, wrong);
    t.regex(heard.text(), /event: reset\ndata: \{\}\n\n/);
    heard.leave();
  }
  const foreign = await heardBy(as.eve, eves.account_id, id);
  t.regex(foreign.text(), /event: reset/, 'an id belongs to one account');

  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  const stopping = new AbortController();
  const live = startLive({
    ...api.management.announced,
    ...{ listeners: api.management.live.listeners, records: clients.records, clock: SYSTEM_CLOCK },
    ...{ logger: createLogger('test', 'silent'), metrics: createMetrics('test'), stopping: stopping.signal },
    crash: (error) => t.fail(String(error)),
  });
  const there = await pollUntil('the other process is ready', async () => {
    const heard = await listenTo(`${api.manage}/accounts/${account_id}/changes`, as.mia, id);
    return heard.status === 200 ? heard : null;
  });
  t.true(there.named().includes(missed.render_id), 'a process that just started knows the change too');
  stopping.abort();
  await pollUntil('a stopping process ends its streams', async () => there.is_over());
  await live.stop();
  await api.close();
  for (const heard of [witness, after, foreign]) heard.leave();
});

test("the stream ends on sign-out, at the session's end, or on removal", async (t) => {
  const { account_id, team_id, catalogue, clients } = world;
  const [one, another] = await newcomer('nora', team_id);
  const [third] = await newcomer('nina', team_id);
  const [staying, leaving, expiring] = await Promise.all([one, another, third].map((of) => heardBy(of, account_id)));
  t.is((await ask(world, another, 'POST', '/sign-out')).status, 200);
  await pollUntil('the stream of the ended session is over', async () => leaving?.is_over() === true, 60_000);
  const its = { _id: sha256Hex(third.cookie('video_session') ?? '') };
  await clients.store.db.collection<{ _id: string }>('sessions').updateOne(its, { $set: { expires_at: Date.now() } });
  await pollUntil('the stream of the expired session is over', async () => expiring?.is_over() === true, 60_000);
  t.false(staying?.is_over());
  await made(removeMember(catalogue, { team_id, user_id: 'user_nora' }));
  await pollUntil('the stream of the removed person is over', async () => staying?.is_over() === true, 60_000);
  const refused = await one.ask(`${world.manage}/accounts/${account_id}/changes`);
  t.true([401, 404].includes(refused.status));
  await refused.arrayBuffer();
});

test('a session has a limited number of streams, and HEAD opens none', async (t) => {
  const { account_id, as } = world;
  const url = `${world.manage}/accounts/${account_id}/changes`;
  for (let n = 0; n < 10; n += 1) {
    const head = await as.stale_owner.ask(url, { method: 'HEAD' });
    t.true([200, 503].includes(head.status));
  }
  const open: Heard[] = [];
  for (let n = 0; n < 8; n += 1) open.push(await heardBy(as.stale_owner, account_id));
  t.true(open.every(({ status }) => status === 200));
  const refused = await ask(world, as.stale_owner, 'GET', `/accounts/${account_id}/changes`);
  t.like(refused, { status: 429 });
  t.is(refused.headers.get('retry-after'), '2');
  open.pop()?.leave();
  const again = await pollUntil('a stream is free', async () => {
    const heard = await listenTo(url, as.stale_owner);
    return heard.status === 200 ? heard : null;
  });
  for (const heard of [...open, again]) heard.leave();
});
