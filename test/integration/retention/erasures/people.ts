import type { ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../../../domain/catalogue/events.ts';
import { subjectOf } from '../../../../domain/catalogue/subject.ts';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { catalogueReadModel } from '../../../../read-models/catalogue/management.ts';
import { servingCatalogue } from '../../../../read-models/catalogue/model.ts';
import { COLLECTIONS, catalogueCollections } from '../../../../read-models/collections.ts';
import { openProjectRenders } from '../../../../read-models/renders/project-renders.ts';
import { openSessions } from '../../../../read-models/sessions/sessions.ts';
import { emailPath, segmentPath } from '../../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../../helpers/component-process.ts';
import { foundIn } from '../../../helpers/found-in.ts';
import { failed, metaBy, requested } from '../../../helpers/render-events.ts';
import { caller } from '../../../helpers/renderctl.ts';
import { backupOf, restoreBehind, type StoreBackup } from '../../../helpers/restored-store.ts';
import { issued, newKey } from '../../api/_catalogue.ts';
import { bearer, send } from '../../api/_client.ts';
import { type Common, test } from './_stack-in-common.ts';

const head = (rules = 1) => ({ rules, meta: metaBy('operator:test') });

const tell = async ({ clients }: Common, events: readonly CatalogueEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('catalogue-events', subjectOf(event), event, { partition: 0 });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

const tellRender = async ({ clients }: Common, render_id: string, events: readonly RenderEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

const started = async ({ stack, clients }: Common): Promise<ComponentProcess> => {
  // The lease of a killed process would last for too long.
  await clients.store.db.collection(COLLECTIONS.leases).deleteMany({});
  return await startComponent('retention', stack.env);
};

const invited = (invitation_id: string, account_id: string): CatalogueEvent => ({
  ...{ type: 'InvitationCreated', ...head(), invitation_id, account_id, team_id: null, role: 'owner' },
  ...{ token_sha256: 'de', expires_at: Date.now() + 86_400_000 },
});

/** An account with two teams, each with a member, a project and an endpoint; ana is an admin of all. */
const accountOf = (name: string, count: number, keys: readonly CatalogueEvent[]): readonly CatalogueEvent[] => [
  { type: 'AccountCreated', ...head(), account_id: `acc_${name}`, name: `Studio ${name}`, unlimited_credits: true },
  { type: 'AccountOwnerAdded', ...head(), account_id: `acc_${name}`, user_id: 'olga' },
  ...['one', 'two'].flatMap((team): readonly CatalogueEvent[] => {
    const team_id = `team_${name}_${team}`;
    return [
      { type: 'TeamCreated', ...head(), team_id, account_id: `acc_${name}`, name: team_id },
      { type: 'MemberAdded', ...head(), team_id, user_id: 'ana', role: 'admin' },
      ...Array.from(
        { length: count },
        (_, n): CatalogueEvent => ({
          ...{ type: 'ProjectCreated', ...head(), project_id: `proj_${team_id}_${n}`, team_id, name: 'Née' },
          ...{ created_by: null, payload: null },
        }),
      ),
      {
        ...{ type: 'WebhookEndpointCreated', ...head(), endpoint_id: `whe_${team_id}`, team_id },
        ...{ url: 'https://127.0.0.1/a', events: ['render.failed'], secret: 'v1.a.b' },
      },
    ];
  }),
  ...keys,
  invited(`inv_${name}`, `acc_${name}`),
];

/** The catalogue's documents of an account, without totals over all accounts. */
const standingOf = async ({ clients }: Common, account_id: string) => {
  const view = catalogueReadModel(clients.store.db);
  const teams = await view.teams(account_id);
  const each = teams.map(async ({ id }) => [
    await view.membersOf(id),
    await view.endpoints(id),
    await view.projects(id),
    await view.keysOfTeam(id, Date.now()),
  ]);
  const whole = [view.find('account', account_id), view.ownersOf(account_id), view.openInvitations(account_id)];
  return JSON.stringify([teams, await Promise.all(each), await Promise.all(whole)]);
};

const PROJECTS = 12;
const [PART, OTHER_PART] = [segmentPath('acc_a', 'ab'.repeat(32)), segmentPath('acc_b', 'ab'.repeat(32))];
const RENDER_ENDED = failed('preparer:p', null);

type Keys = Readonly<Record<'ours' | 'personal' | 'theirs', ReturnType<typeof newKey>>>;
type Test = ExecutionContext<Common>;

const viewOf = ({ clients }: Common) => catalogueReadModel(clients.store.db);

/** Fills accounts a and b with people, projects, renders and files. @returns their keys */
const fillAccounts = async (t: Test): Promise<Keys> => {
  const { clients } = t.context;
  const [ours, personal, theirs] = [newKey(), newKey(), newKey()];
  const of_a = { account_id: 'acc_a', team_ids: ['team_a_one', 'team_a_two'] };
  await tell(t.context, [
    ...['olga', 'ana'].map((user_id): CatalogueEvent => ({ type: 'UserRegistered', ...head(), user_id, email: null })),
    ...accountOf('a', PROJECTS, [
      issued('key_a', ours, { ...of_a, rules: 1 }),
      // Issued before rules 1.
      issued('key_ana', personal, { ...of_a, user_id: 'ana' }),
    ]),
    ...accountOf('b', 1, [issued('key_b', theirs, { account_id: 'acc_b', team_ids: ['team_b_one'], rules: 1 })]),
  ]);
  const request = (project_id: string, team_id: string, account_id: string) => ({
    ...{ ...requested({ request: null }), project_id, team_id, account_id },
  });
  await tellRender(t.context, 'rend_a_over', [request('proj_team_a_one_0', 'team_a_one', 'acc_a'), RENDER_ENDED]);
  await tellRender(t.context, 'rend_a_runs', [request('proj_team_a_two_0', 'team_a_two', 'acc_a')]);
  await tellRender(t.context, 'rend_b_over', [request('proj_team_b_one_0', 'team_b_one', 'acc_b'), RENDER_ENDED]);
  for (const path of [PART, OTHER_PART]) await clients.blobs.writeText(path, 'a part');
  const view = viewOf(t.context);
  await pollUntil('all is folded', () => view.find('invitation', 'inv_b'));
  const rendersOf = openProjectRenders(clients.store.db);
  await pollUntil('renders are folded', async () => (await rendersOf('proj_team_b_one_0', null, 1)).length === 1);
  await pollUntil('renders are folded', async () => (await rendersOf('proj_team_a_two_0', null, 1)).length === 1);
  return { ours, personal, theirs };
};

const statusOf = async ({ stack }: Common, { key }: { readonly key: string }): Promise<number> =>
  (await send(`${stack.component('query-api').url}/v1/teams`, { headers: bearer(key) })).status;

/** Nothing is erased unless the id is confirmed. */
const refuseUnconfirmed = async (t: Test): Promise<void> => {
  const { stack } = t.context;
  const renderctl = caller(stack.env);
  const unasked = await renderctl('erase', 'account', 'acc_a');
  t.is(unasked.exit_code, 2);
  t.regex(
    unasked.stderr,
    /acc_a has 2 teams, 24 projects, 2 people, 2 keys, 2 endpoints, 1 invitation, 2 renders\. You cannot undo/,
  );
  t.regex(unasked.stderr, /add --confirm acc_a/);
  const mistyped = await caller(stack.env, undefined, undefined, 'acc_b')('erase', 'account', 'acc_a');
  t.is(mistyped.exit_code, 1);
  t.regex(mistyped.stderr, /the answer is not acc_a; nothing was erased/);
  t.is((await viewOf(t.context).find('account', 'acc_a'))?.erased, undefined);
};

/** Ctrl-C ends the wait for the sweep, which does not run yet. The erasure is effective already. */
const interruptErasure = async (t: Test, { ours, personal, theirs }: Keys): Promise<void> => {
  const { stack } = t.context;
  const view = viewOf(t.context);
  const stopping = new AbortController();
  const stopAtProgress = (text: string) => text.startsWith('not erased yet in acc_a') && stopping.abort();
  const interruptible = caller(stack.env, stopping.signal, stopAtProgress, 'acc_a');
  const cut_off = await interruptible('erase', 'account', 'acc_a', '--json');
  t.is(cut_off.exit_code, 130, cut_off.stderr);
  t.deepEqual(JSON.parse(cut_off.stdout), { id: 'acc_a', rest: 'being_erased' });
  await pollUntil('keys are refused, though they are not revoked', async () =>
    (await Promise.all([ours, personal].map((key) => statusOf(t.context, key)))).every((status) => status === 401),
  );
  t.is((await view.find('api_key', 'key_a'))?.revoked_at, null);
  t.is(await statusOf(t.context, theirs), 200);
  const late = await caller(stack.env)('team', 'create', '--account', 'acc_a', '--name', 'Late');
  t.regex(late.stderr, /account acc_a was erased and cannot be changed/);
};

/** Kills retention within the erasure, and finishes it with another process. @returns that process */
const eraseDespiteKill = async (t: Test): Promise<ComponentProcess> => {
  const { stack, clients } = t.context;
  const view = viewOf(t.context);
  const rendersOf = openProjectRenders(clients.store.db);
  let retention = await started(t.context);
  t.teardown(() => retention.kill());
  const projects = async (): Promise<number> => (await view.find('account_usage', 'acc_a'))?.projects ?? 0;
  await pollUntil('some projects are erased', async () => (await projects()) < 2 * PROJECTS, 60_000);
  await retention.kill();
  retention = await started(t.context);
  let progress = '';
  const collect = (text: string) => (progress += text);
  const erase = caller(stack.env, undefined, collect);
  const erasing = erase('erase', 'account', 'acc_a', '--confirm', 'acc_a', '--json');
  await pollUntil('one render has not ended', async () => (await projects()) === 0, 90_000);
  await pollUntil('one is erased', async () => (await rendersOf('proj_team_a_one_0', null, 1)).length === 0, 60_000);
  await pollUntil(
    'the remaining render is reported',
    async () => progress.includes('renders of proj_team_a_two_0 that are not erased yet: 1'),
    60_000,
  );
  t.true(await clients.blobs.exists(PART));
  await tellRender(t.context, 'rend_a_runs', [RENDER_ENDED]);
  const { exit_code, stdout, stderr } = await erasing;
  t.is(exit_code, 0, stderr);
  t.deepEqual(JSON.parse(stdout), { id: 'acc_a', repeated: true, rest: 'erased' });
  return retention;
};

const checkErasedAccount = async (t: Test): Promise<void> => {
  const { stack, clients } = t.context;
  const renderctl = caller(stack.env);
  const view = viewOf(t.context);
  const rendersOf = openProjectRenders(clients.store.db);
  t.false(await clients.blobs.exists(PART));
  t.deepEqual(await rendersOf('proj_team_a_two_0', null, 1), []);
  t.like(await view.find('account_usage', 'acc_a'), { owners: 0, members: 0, endpoints: 0, lasting_keys: 0 });
  for (const id of ['key_a', 'key_ana']) t.not((await view.find('api_key', id))?.revoked_at, null, id);
  t.not((await view.find('invitation', 'inv_a'))?.revoked_at, null);
  const { stdout: list } = await renderctl('account', 'list');
  t.notRegex(list, /Studio a/);
  t.regex(list, /acc_a +\(erased\)/);
  t.is((await renderctl('account', 'statement', 'acc_a')).exit_code, 0);
  const audit = await renderctl('audit', '--account', 'acc_a', '--kind', 'ApiKeyRevoked');
  t.regex(audit.stdout, /operator:renderctl/);
};

const checkOtherAccount = async (t: Test, before: string, { theirs }: Keys): Promise<void> => {
  const { stack, clients } = t.context;
  const rendersOf = openProjectRenders(clients.store.db);
  t.is(await standingOf(t.context, 'acc_b'), before);
  t.true(await clients.blobs.exists(OTHER_PART));
  t.is((await rendersOf('proj_team_b_one_0', null, 1)).length, 1);
  t.is(await statusOf(t.context, theirs), 200);
  const { stdout: users } = await caller(stack.env)('user', 'list');
  t.regex(users, /\bana\b/, 'users stay');
};

test.serial('an erased account loses its keys and data despite kills, and other accounts continue', async (t) => {
  t.timeout(450_000);
  const { clients } = t.context;
  const keys = await fillAccounts(t);
  const before = await standingOf(t.context, 'acc_b');
  const statuses = [keys.ours, keys.personal, keys.theirs].map((key) => statusOf(t.context, key));
  t.deepEqual(await Promise.all(statuses), [200, 200, 200]);
  await refuseUnconfirmed(t);
  await interruptErasure(t, keys);
  const retention = await eraseDespiteKill(t);
  await checkErasedAccount(t);
  await clients.blobs.writeText(PART, 'of a restored Blob');
  await pollUntil('the file is removed again', async () => !(await clients.blobs.exists(PART)), 60_000);
  await checkOtherAccount(t, before, keys);
  await retention.kill();
});

/** Documents of the catalogue, with the position up to which it is folded. */
const catalogueBackup = async ({ clients: { store } }: Common): Promise<StoreBackup> => {
  const names = catalogueCollections((await servingCatalogue(store.db)()).generation);
  const all = [names.checkpoints, names.ignored, names.audit, ...Object.values(names.entities)];
  return await backupOf(all.map((name) => store.db.collection(name)));
};

const EMAIL = 'ada.lovelace@example.org';

const ACCOUNT_C = 'acc_c';
type Sessions = ReturnType<typeof openSessions>;

/** Ada is the owner of account c and the admin of its team. @returns the team's key */
const registerAda = async (t: Test) => {
  const renderctl = caller(t.context.stack.env);
  const [service, old, personal] = [newKey(), newKey(), newKey()];
  const account_id = ACCOUNT_C;
  const created = await renderctl('user', 'create', '--email', EMAIL, '--id', 'user_ada');
  t.is(created.exit_code, 0, created.stderr);
  const of_c = { account_id, team_ids: ['team_c'] };
  await tell(t.context, [
    { type: 'UserRegistered', ...head(), user_id: 'user_bea', email: null },
    { type: 'AccountCreated', ...head(), account_id, name: 'C', unlimited_credits: true },
    { type: 'TeamCreated', ...head(), team_id: 'team_c', account_id, name: 'C' },
    { type: 'MemberAdded', ...head(), team_id: 'team_c', user_id: 'user_ada', role: 'admin' },
    { type: 'MemberAdded', ...head(), team_id: 'team_c', user_id: 'user_bea', role: 'member' },
    { type: 'AccountOwnerAdded', ...head(), account_id, user_id: 'user_ada' },
    { type: 'IdentityLinked', ...head(), identity_id: 'e0', user_id: 'user_ada' },
    issued('key_service', service, { ...of_c, rules: 1 }),
    issued('key_old', old, { ...of_c, user_id: 'user_ada' }),
    issued('key_personal', personal, { ...of_c, user_id: 'user_ada', rules: 1 }),
  ]);
  await pollUntil('all is folded', () => viewOf(t.context).find('api_key', 'key_personal'));
  return service;
};

const beginSession = async (sessions: Sessions, token: string): Promise<void> => {
  const now = Date.now();
  const about = { identity_id: 'e0', user_id: 'user_ada', linked_at: 1, is_operator: false, is_guest: false };
  const times = { created_at: now, last_used_at: now, expires_at: now + 3_600_000, auth_time: null };
  await sessions.begin(token, { id: `sess_${token}`, owner: 'user_ada', ...about, ...times, user_agent: 'Ada’s' });
};

/** The last owner cannot be erased. A second owner manages the team, even without the role of an admin. */
const addSecondOwner = async (t: Test): Promise<void> => {
  const renderctl = caller(t.context.stack.env);
  const last = await renderctl('erase', 'user', 'user_ada');
  t.is(last.exit_code, 1);
  t.regex(
    last.stderr,
    /is the last owner of acc_c; add another owner first, with "renderctl account owner add acc_c USER"/,
  );
  await tell(t.context, [{ type: 'AccountOwnerAdded', ...head(), account_id: ACCOUNT_C, user_id: 'user_bea' }]);
  await pollUntil('they are folded', async () => (await viewOf(t.context).ownersOf(ACCOUNT_C)).length === 2);
};

const checkErasedUser = async (t: Test, sessions: Sessions): Promise<void> => {
  const view = viewOf(t.context);
  t.deepEqual(await foundIn(t.context, EMAIL), []);
  t.deepEqual(await sessions.listOf('user_ada', Date.now(), 0), []);
  t.deepEqual(await view.membershipsOf('user_ada'), []);
  t.deepEqual(await view.ownershipsOf('user_ada'), []);
  t.deepEqual((await view.find('user_identities', 'user_ada'))?.identity_ids, []);
  const keys = await Promise.all(['key_old', 'key_personal', 'key_service'].map((id) => view.find('api_key', id)));
  t.deepEqual(
    keys.map((key) => key?.revoked_at === null),
    [false, false, true],
  );
};

const checkErasedUserInApis = async (t: Test, service: ReturnType<typeof newKey>): Promise<void> => {
  const { stack } = t.context;
  const renderctl = caller(stack.env);
  const url = `${stack.component('query-api').url}/v1/users`;
  const members = await send(`${url}?team_id=team_c`, { headers: bearer(service.key) });
  t.deepEqual(
    Object(members.body).data.map(({ id }: { readonly id: string }) => id),
    ['user_bea'],
  );
  t.notRegex((await renderctl('user', 'list')).stdout, /user_ada/);
  t.regex((await renderctl('user', 'show', 'user_ada')).stderr, /there is no user user_ada/);
  for (const [command, args] of [
    ['member', ['add', 'team_c', 'user_ada']],
    ['user', ['email', 'user_ada', EMAIL]],
    ['user', ['create', '--id', 'user_ada', '--email', EMAIL]],
  ] as const)
    t.is((await renderctl(command, ...args)).exit_code, 1, args.join(' '));
  t.deepEqual(await foundIn(t.context, EMAIL), []);
};

/** A restored file and a session that began during the erasure are removed again. */
const removeReappearedData = async (t: Test, sessions: Sessions): Promise<void> => {
  const { clients } = t.context;
  await clients.blobs.writeText(emailPath('user_ada'), JSON.stringify({ email: EMAIL }));
  await beginSession(sessions, 'two');
  await pollUntil('the address is removed again', async () => (await foundIn(t.context, EMAIL)).length === 0, 60_000);
  await pollUntil(
    'the session is removed again',
    async () => (await sessions.listOf('user_ada', Date.now(), 0)).length === 0,
    60_000,
  );
};

/** A store and a file from before the erasure are restored; the fold of the log erases the user again. */
const eraseAfterRestore = async (t: Test, backup: StoreBackup, email_path: string | null): Promise<void> => {
  const { stack, clients } = t.context;
  const view = viewOf(t.context);
  if (email_path !== null) await clients.blobs.writeText(email_path, JSON.stringify({ email: EMAIL }));
  const projectors = stack.component('projectors');
  await restoreBehind(projectors, backup);
  t.is((await view.membershipsOf('user_ada')).length, 1);
  projectors.kill('SIGKILL');
  await pollUntil('it is folded again', async () => (await view.find('user', 'user_ada'))?.email === null, 60_000);
  await pollUntil('the address is removed again', async () => (await foundIn(t.context, EMAIL)).length === 0, 60_000);
  const again = await caller(stack.env)('erase', 'user', 'user_ada', '--json');
  t.deepEqual(JSON.parse(again.stdout), { id: 'user_ada', repeated: true, rest: 'erased' });
  t.deepEqual(await view.membershipsOf('user_ada'), []);
};

test.serial("an erased user's address and data disappear and never return", async (t) => {
  t.timeout(450_000);
  const { stack, clients } = t.context;
  const renderctl = caller(stack.env);
  const view = viewOf(t.context);
  const service = await registerAda(t);
  const sessions = openSessions(clients.store.db);
  await sessions.prepare();
  await beginSession(sessions, 'one');
  t.true((await foundIn(t.context, EMAIL)).every((place) => place.startsWith('users/user_ada/')));
  t.is((await foundIn(t.context, EMAIL)).length, 1);

  await addSecondOwner(t);
  const backup = await catalogueBackup(t.context);
  const email_path = (await view.find('user', 'user_ada'))?.email?.path ?? null;
  const retention = await started(t.context);
  t.teardown(() => retention.kill());
  const erased = await renderctl('erase', 'user', 'user_ada', '--json');
  t.is(erased.exit_code, 0, erased.stderr);
  t.deepEqual(JSON.parse(erased.stdout), { id: 'user_ada', rest: 'erased' });
  await checkErasedUser(t, sessions);
  await checkErasedUserInApis(t, service);
  await removeReappearedData(t, sessions);
  await eraseAfterRestore(t, backup, email_path);

  t.regex((await renderctl('erase', 'user', 'user_none')).stderr, /there is no user user_none/);
  t.is((await view.find('user', 'user_bea'))?.erased, undefined);
  await retention.kill();
});
