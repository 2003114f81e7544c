import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../../catalogue/change.ts';
import { eraseAccount, eraseUser } from '../../../catalogue/erasures.ts';
import { type Entity, type EntityKind, type EntityOf, isOfKind } from '../../../domain/catalogue/entities.ts';
import { type CatalogueEvent, isCatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { ErasedEntities } from '../../../read-models/catalogue/erased-entities.ts';
import type { EventOutcome } from '../../../read-models/catalogue/management.ts';
import { erasedAccountSweeps } from '../../../retention/accounts/erased-account-sweep.ts';
import type { SweepPageResult } from '../../../retention/sweeps/progress.ts';
import { erasedUserSweeps } from '../../../retention/users/erased-user-sweep.ts';
import { erasedAccountTreePath, keyTreeAt, keyTreesPath } from '../../../schemas/blobs/paths.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';
import { catalogue, ofKind } from '../catalogue/_catalogue.ts';

const NEVER = new AbortController().signal;
const OPERATOR = 'operator:ops';
const head = (rules = 1, actor = OPERATOR) => ({ rules, meta: metaBy(actor) });

const registered = (user_id: string): CatalogueEvent => ({
  ...{ type: 'UserRegistered', ...head(), user_id, email: { path: `users/${user_id}/email-1.json`, sha256: 'aa' } },
});
const keyOf = (key_id: string, account_id: string, team_ids: string[], user_id: string | null, rules = 1) =>
  ({
    ...{ type: 'ApiKeyIssued', ...head(rules), key_id, account_id, user_id, team_ids, name: key_id },
    ...{ secret_sha256: key_id, prefix: 'vr_', last4: 'z', expires_at: null, scopes: null },
  }) satisfies CatalogueEvent;

const accountOf = (name: string): readonly CatalogueEvent[] => [
  { type: 'AccountCreated', ...head(), account_id: `acc_${name}`, name, unlimited_credits: true },
  { type: 'AccountOwnerAdded', ...head(), account_id: `acc_${name}`, user_id: 'olga' },
  ...['one', 'two'].flatMap((team): readonly CatalogueEvent[] => {
    const team_id = `${name}_${team}`;
    return [
      { type: 'TeamCreated', ...head(), team_id, account_id: `acc_${name}`, name: team_id },
      { type: 'MemberAdded', ...head(), team_id, user_id: 'ana', role: 'admin' },
      {
        ...{ type: 'ProjectCreated', ...head(), project_id: `proj_${team_id}`, team_id, name: 'P' },
        ...{ created_by: null, payload: null },
      },
      {
        ...{ type: 'WebhookEndpointCreated', ...head(), endpoint_id: `whe_${team_id}`, team_id },
        ...{ url: 'https://a.example', events: ['render.failed'], secret: 'v1.a.b' },
      },
    ];
  }),
  keyOf(`key_${name}`, `acc_${name}`, [`${name}_one`, `${name}_two`], null),
  keyOf(`key_${name}_ana`, `acc_${name}`, [`${name}_one`], 'ana'),
  // Issued before rules 1, so no list of a member's keys has it.
  keyOf(`key_${name}_old`, `acc_${name}`, [`${name}_two`], 'ana', 0),
  {
    ...{ type: 'InvitationCreated', ...head(), invitation_id: `inv_${name}`, account_id: `acc_${name}` },
    ...{ team_id: null, role: 'owner', token_sha256: 'de', expires_at: 900_000 },
  },
];

const LIFE: readonly CatalogueEvent[] = [
  ...['olga', 'ana'].map(registered),
  { type: 'IdentityLinked', ...head(), identity_id: 'e0', user_id: 'ana' },
  { type: 'IdentityLinked', ...head(), identity_id: 'e1', user_id: 'ana' },
  ...accountOf('a'),
  ...accountOf('b'),
];

/** The catalogue with its log in memory, and the data outside of it that erasures remove. */
type State = Pick<ReturnType<typeof catalogue>, 'entities' | 'step'> & {
  readonly log: CatalogueEvent[];
  /** By offset. */
  readonly outcomes: Map<number, EventOutcome>;
  readonly files: Set<string>;
  /** User ids. */
  readonly sessions: Set<string>;
  /** Accounts whose trees are known as deleted, each with the trees that Blob had then. */
  readonly deleted_trees: string[];
};

/** Settings that a test changes. */
type Controls = {
  /** The number of further requests that succeed. */
  requests: number;
  /** The number of renders in progress. */
  open: number;
  is_behind: boolean;
};

const newState = (): State => {
  const { entities, verdicts, step } = catalogue(LIFE);
  if (verdicts.some(({ tag }) => tag === 'ignored')) throw new Error('the life is not legal');
  const [a, b] = ['accounts/acc_a/segments/x', 'accounts/acc_b/segments/x'];
  return {
    ...{ entities, step, log: [...LIFE], outcomes: new Map(), sessions: new Set(['ana', 'olga']), deleted_trees: [] },
    files: new Set([a, b, 'users/ana/email-1.json', 'users/anabel/email-1.json']),
  };
};

const append = ({ log, outcomes, step }: State, event: CatalogueEvent): void => {
  const verdict = step(event, 10_000 + log.length);
  const ignored = verdict.tag === 'ignored';
  outcomes.set(log.length, ignored ? { tag: 'ignored', reason: verdict.reason } : { tag: 'accepted' });
  log.push(event);
};

type Request = () => void;

const allOf = <K extends EntityKind>({ entities }: State, request: Request, kind: K): readonly EntityOf<K>[] => {
  request();
  return [...entities.values()].filter(isOfKind(kind));
};

const unused = () => Promise.reject(new Error('no test uses this query'));
/** Queries of the catalogue's commands that no erasure uses. */
const UNUSED_QUERIES = {
  ...{ projectIds: unused, project: unused, pendingVersions: unused, pendingIn: unused, accounts: unused },
  ...{ grantsOf: unused, users: unused, membershipsOfAll: unused, ownershipsOfAll: unused, keys: unused },
  ...{ lastUses: unused, projects: unused, failing: unused, failingOf: unused, ledgerOf: unused },
  projectNames: unused,
  charges: { isMaking: unused, ofAccount: unused, before: unused } as never,
  versions: unused as never,
};

const readModelOf = (state: State, request: Request): CatalogueWriter['read_model'] => {
  const { entities, outcomes } = state;
  const all = <K extends EntityKind>(kind: K): readonly EntityOf<K>[] => allOf(state, request, kind);
  const isInForce = (key: EntityOf<'api_key'>): boolean => key.revoked_at === null;
  return {
    ...UNUSED_QUERIES,
    entitiesAt: async (_end, refs) => {
      request();
      return refs.flatMap(({ kind, id }): readonly Entity[] => {
        const found = entities.get(`${kind} ${id}`);
        return found === undefined ? [] : [found];
      });
    },
    newestRules: async () => 2,
    outcomeOf: async (offset) => outcomes.get(offset) ?? null,
    find: async (kind, id) => {
      request();
      return ofKind(entities.get(`${kind} ${id}`), kind);
    },
    entities: async (kind, ids) => ids.flatMap((id) => ofKind(entities.get(`${kind} ${id}`), kind) ?? []),
    teams: async (id) => all('team').filter(({ account_id }) => account_id === id),
    membersOf: async (id) => all('membership').filter(({ team_id, removed }) => team_id === id && !removed),
    membershipsOf: async (id) => all('membership').filter(({ user_id, removed }) => user_id === id && !removed),
    ownersOf: async (id) => all('account_member').filter(({ account_id, owner }) => account_id === id && owner),
    ownershipsOf: async (id) => all('account_member').filter(({ user_id, owner }) => user_id === id && owner),
    keysOfTeam: async (id) => all('api_key').filter((key) => key.team_ids.includes(id) && isInForce(key)),
    keysOfUser: async (id) => all('api_key').filter((key) => key.user_id === id && isInForce(key)),
    endpoints: async (id) => all('webhook_endpoint').filter(({ team_id }) => team_id === id),
    openInvitations: async (id) =>
      all('invitation').filter((one) => one.account_id === id && one.revoked_at === null && one.accepted_at === null),
    unerasedProjectIds: async (id) =>
      all('project').flatMap((one) => (one.team_id === id && one.erased === undefined ? [one.id] : [])),
  };
};

const recordsOf = (state: State, request: Request): CatalogueWriter['records'] => ({
  append: async (_topic, _key, event) => {
    request();
    if (!isCatalogueEvent(event)) throw new Error('another topic');
    append(state, event);
    return E.right({ partition: 0, offset: state.log.length - 1, append_time_ms: 0 });
  },
  log: { bounds: async () => [{ partition: 0, start: 0, end: state.log.length }] },
});

const erasedOf =
  (state: State, request: Request, kind: 'account' | 'user'): ErasedEntities =>
  async (since, from, count) =>
    allOf(state, request, kind)
      .flatMap(({ id, erased: by }) =>
        by === undefined ? [] : [{ id, erased: by, position: `${by.at}${id}`, tenant_id: id }],
      )
      .filter((one) => one.erased.at >= since && one.position > (from ?? ''))
      .slice(0, count);

const sweepsOf = (state: State, request: Request, controls: Controls, writer: Omit<CatalogueWriter, 'actor'>) => {
  const { files, sessions } = state;
  const parts = {
    blobs: {
      list: async (prefix: string) => {
        request();
        const found = [...files].filter((path) => path.startsWith(prefix));
        return { found: found.map((path) => ({ path, size_bytes: 10, stored_at: 0 })), next: null };
      },
      remove: async (path: string) => {
        request();
        const account_id = keyTreeAt(path)?.account_id;
        // Otherwise readers would report its texts as lost.
        if (account_id !== undefined && !files.has(erasedAccountTreePath(account_id))) throw new Error('too early');
        files.delete(path);
      },
    },
    key_blobs: {
      create: async (path: string) => {
        request();
        files.add(path);
        return true;
      },
    },
    catalogue: writer,
    warn: () => undefined,
  };
  const accounts = erasedAccountSweeps({
    ...parts,
    erasedAccounts: erasedOf(state, request, 'account'),
    catchUp: async () => (controls.is_behind ? [{ read_model: 'renders', folded: 1, of: 2 }] : []),
    renders: { countOpen: async () => ({ folded: new Map(), open: controls.open }) },
    uploads: { removeAllOf: async () => request() },
    stored_files: { removeAllOf: async () => request() },
    known_trees: {
      setAccountDeleted: async (account_id) => {
        request();
        const left = [...files].filter((path) => path.startsWith(keyTreesPath(account_id)));
        state.deleted_trees.push(account_id, ...left);
      },
    },
  });
  const users = erasedUserSweeps({
    ...parts,
    erasedUsers: erasedOf(state, request, 'user'),
    sessions: {
      endAllOf: async (owner) => {
        request();
        sessions.delete(owner);
      },
    },
  });
  return [...accounts.sweeps, ...users.sweeps];
};

/** A catalogue after an erasure, and the sweeps on it. Requests fail once `controls.requests` is used up. */
const openWorld = async (erasure: CatalogueEvent) => {
  const clock = virtualClock();
  const state = newState();
  const { entities, log, files, sessions, deleted_trees } = state;
  const controls: Controls = { requests: Number.POSITIVE_INFINITY, open: 0, is_behind: false };
  const request = (): void => {
    controls.requests -= 1;
    if (controls.requests < 0) throw new Error('killed');
  };
  append(state, erasure);
  const writer = { records: recordsOf(state, request), read_model: readModelOf(state, request), clock };
  const sweeps = sweepsOf(state, request, controls, writer);
  const pass = async (name: string): Promise<SweepPageResult | undefined> =>
    await sweeps.find((one) => one.name === name)?.page(null, NEVER);
  /** The entities of account b. */
  const others = () => JSON.stringify([...entities].filter(([address]) => /acc_b|b_one|b_two|_b\b/.test(address)));
  const changing: CatalogueWriter = { ...writer, actor: OPERATOR };
  return {
    ...{ clock, entities, log, files, sessions, deleted_trees, controls, pass, others, changing },
    append: (event: CatalogueEvent): void => append(state, event),
  };
};

type World = Awaited<ReturnType<typeof openWorld>>;

const ACCOUNT_ERASED: CatalogueEvent = { type: 'AccountErased', ...head(), account_id: 'acc_a' };
const USER_ERASED: CatalogueEvent = { type: 'UserErased', ...head(), user_id: 'ana' };

const leftOf = ({ entities }: World, account_id: string): unknown => {
  const usage = entities.get(`account_usage ${account_id}`);
  if (usage?.kind !== 'account_usage') return null;
  const { owners, members, projects, endpoints, lasting_keys, invitations } = usage;
  return [owners, members, projects, endpoints, lasting_keys, invitations.length];
};

test('everything of an erased account ends, and other accounts stay', async (t) => {
  const world = await openWorld(ACCOUNT_ERASED);
  const { log, files, controls, pass, others, append } = world;
  const before = others();
  t.deepEqual(leftOf(world, 'acc_a'), [1, 2, 2, 2, 3, 1]);
  controls.open = 1;
  const first = log.length;
  await pass('accounts_erased_lately');
  t.deepEqual(leftOf(world, 'acc_a'), [0, 0, 0, 0, 0, 0]);
  t.is(others(), before);
  t.true(files.has('accounts/acc_a/segments/x'), 'a render of the account is in progress');
  const { event_id } = ACCOUNT_ERASED.meta;
  for (const { meta } of log.slice(first)) t.like(meta, { actor: OPERATOR, causation_id: event_id });

  controls.open = 0;
  t.deepEqual((await pass('accounts_erased_lately'))?.removed.accounts?.removed, 1);
  t.deepEqual([...files].toSorted(), [
    'accounts/acc_b/segments/x',
    erasedAccountTreePath('acc_a'),
    'users/ana/email-1.json',
    'users/anabel/email-1.json',
  ]);
  const ended = log.length;
  await pass('accounts_erased_lately');
  t.is(log.length, ended, 'nothing is left to do');

  // A key that was issued before the erasure was visible.
  append(keyOf('key_late', 'acc_a', ['a_one'], null, 0));
  await pass('accounts_erased_lately');
  t.deepEqual(leftOf(world, 'acc_a'), [0, 0, 0, 0, 0, 0]);
});

test('keys of an erased account are deleted before its renders end', async (t) => {
  const { files, controls, pass, deleted_trees } = await openWorld(ACCOUNT_ERASED);
  controls.open = 1;
  const trees = ['acc_a', 'acc_b'].map((account_id) => `${keyTreesPath(account_id)}01JD0000000000000000000000`);
  for (const path of trees) files.add(path);
  await pass('accounts_erased_lately');
  t.deepEqual(
    trees.filter((path) => files.has(path)),
    trees.slice(1),
  );
  t.true(files.has('accounts/acc_a/segments/x'));
  t.deepEqual(
    ['acc_a', 'acc_b'].map((account_id) => files.has(erasedAccountTreePath(account_id))),
    [true, false],
  );
  // Blob must have no tree of the account when its trees are known as deleted.
  t.deepEqual(deleted_trees, []);
  await pass('accounts_erased_lately');
  t.deepEqual(deleted_trees, ['acc_a']);
});

test('keys of an erased account are deleted before changes that may fail', async (t) => {
  const world = await openWorld(ACCOUNT_ERASED);
  const path = `${keyTreesPath('acc_a')}01JD0000000000000000000000`;
  world.files.add(path);
  // The erased accounts, the list of trees, the empty tree of the account, and the deletion.
  world.controls.requests = 4;
  await t.throwsAsync(world.pass('accounts_erased_lately'), { message: 'killed' });
  t.false(world.files.has(path));
  t.deepEqual(leftOf(world, 'acc_a'), [1, 2, 2, 2, 3, 1]);
});

test('files of an erased account stay while a restored store lacks renders', async (t) => {
  const { files, controls, pass } = await openWorld(ACCOUNT_ERASED);
  controls.is_behind = true;
  await t.throwsAsync(pass('accounts_erased_lately'), { message: /behind/ });
  t.true(files.has('accounts/acc_a/segments/x'));
  controls.is_behind = false;
  await pass('accounts_erased_lately');
  t.false(files.has('accounts/acc_a/segments/x'));
});

test('an erased user loses everything, also as the last member', async (t) => {
  const world = await openWorld(USER_ERASED);
  const { entities, files, sessions, pass } = world;
  t.deepEqual((await pass('users_erased_lately'))?.removed.emails?.removed, 1);
  t.like(Object.fromEntries(entities), {
    'membership a_one/ana': { removed: true },
    'membership b_two/ana': { removed: true },
    'user_identities ana': { identity_ids: [] },
    'api_key key_a': { revoked_at: null },
  });
  for (const id of ['key_a_ana', 'key_a_old', 'key_b_old']) {
    const key = entities.get(`api_key ${id}`);
    t.true(key?.kind === 'api_key' && key.revoked_at !== null, id);
  }
  t.deepEqual([...sessions], ['olga']);
  t.false(files.has('users/ana/email-1.json'));
  t.true(files.has('users/anabel/email-1.json'));
  // The sweep also removes data that reappear.
  files.add('users/ana/email-0.json');
  sessions.add('ana');
  await pass('users_erased_lately');
  t.false(files.has('users/ana/email-0.json'));
  t.deepEqual([...sessions], ['olga']);
});

/** Erasures by an owner and by the user. The sweep continues as this actor, who no longer has a role. */
const OWN_ACCOUNT_ERASED: CatalogueEvent = { ...ACCOUNT_ERASED, ...head(3, 'user:olga') };
const SELF_ERASED: CatalogueEvent = { ...USER_ERASED, ...head(3, 'user:ana') };

for (const [erasure, sweep] of [
  [ACCOUNT_ERASED, 'accounts_erased_lately'],
  [USER_ERASED, 'users_erased_lately'],
  [OWN_ACCOUNT_ERASED, 'accounts_erased_lately'],
  [SELF_ERASED, 'users_erased_lately'],
] as const)
  test(`${erasure.type} by ${erasure.meta.actor}: another pass finishes after any interruption`, async (t) => {
    const whole = await openWorld(erasure);
    await whole.pass(sweep);
    const wanted = [leftOf(whole, 'acc_a'), leftOf(whole, 'acc_b'), [...whole.files], [...whole.sessions]];
    const by_operator = await openWorld({ ...erasure, ...head() });
    await by_operator.pass(sweep);
    t.deepEqual(leftOf(whole, 'acc_a'), leftOf(by_operator, 'acc_a'));
    let [requests, is_cut_off] = [0, true];
    for (; is_cut_off; requests += 1) {
      const world = await openWorld(erasure);
      world.controls.requests = requests;
      is_cut_off = await world.pass(sweep).then(
        () => false,
        () => true,
      );
      world.controls.requests = Number.POSITIVE_INFINITY;
      await world.pass(sweep);
      const now = [leftOf(world, 'acc_a'), leftOf(world, 'acc_b'), [...world.files], [...world.sessions]];
      t.deepEqual(now, wanted, `cut off after ${requests} requests`);
    }
    t.true(requests > 20);
  });

test('an erased user does not count as a remaining manager', async (t) => {
  const world = await openWorld({ type: 'MemberAdded', ...head(), team_id: 'a_one', user_id: 'olga', role: 'admin' });
  const { append, pass, changing } = world;
  append({ type: 'AccountOwnerAdded', ...head(), account_id: 'acc_a', user_id: 'ana' });
  const stillLast = { tag: 'still_last', user_id: 'olga' };
  t.deepEqual(await eraseUser(changing, 'olga'), E.left({ ...stillLast, team_ids: [], account_ids: ['acc_b'] }));
  append(USER_ERASED);
  // The next owner of the account manages its teams.
  const alone = E.left({ ...stillLast, team_ids: [], account_ids: ['acc_a', 'acc_b'] });
  t.deepEqual(await eraseUser(changing, 'olga'), alone);
  await pass('users_erased_lately');
  t.deepEqual(await eraseUser(changing, 'olga'), alone);
});

test('the only admin is erased only if an owner remains', async (t) => {
  const world = await openWorld({
    type: 'AccountCreated',
    ...head(),
    account_id: 'acc_c',
    name: 'C',
    unlimited_credits: true,
  });
  const { entities, append, pass, changing } = world;
  append(registered('bea'));
  append({ type: 'TeamCreated', ...head(), team_id: 'c_one', account_id: 'acc_c', name: 'C' });
  append({ type: 'MemberAdded', ...head(), team_id: 'c_one', user_id: 'ana', role: 'admin' });
  const nobody_left = E.left({ tag: 'still_last', user_id: 'ana', team_ids: ['c_one'], account_ids: [] });
  t.deepEqual(await eraseUser(changing, 'ana'), nobody_left);
  append({ type: 'AccountOwnerAdded', ...head(), account_id: 'acc_c', user_id: 'bea' });
  append({ type: 'UserErased', ...head(), user_id: 'bea' });
  t.deepEqual(await eraseUser(changing, 'ana'), nobody_left, 'an erased user manages nothing');
  append({ type: 'AccountOwnerAdded', ...head(), account_id: 'acc_c', user_id: 'olga' });
  t.like(await eraseUser(changing, 'ana'), { right: { repeated: false } });
  await pass('users_erased_lately');
  t.like(Object.fromEntries(entities), { 'team_roster a_one': { admins: 0 }, 'team_roster c_one': { admins: 0 } });
  append({ type: 'MemberAdded', ...head(1, 'user:olga'), team_id: 'c_one', user_id: 'olga', role: 'admin' });
  t.like(Object.fromEntries(entities), { 'team_roster c_one': { admins: 1 } });
  t.like(await eraseUser(changing, 'ana'), { right: { repeated: true } });
});

test('older erased users are checked once a day', async (t) => {
  const world = await openWorld(USER_ERASED);
  await world.clock.advance(2 * 86_400_000);
  await world.pass('users_erased_lately');
  t.true(world.sessions.has('ana'));
  await world.pass('erased_users');
  t.false(world.sessions.has('ana'));
});

test('Ctrl-C ends the wait for a blocked read model', async (t) => {
  const { clock, log, changing } = await openWorld({ type: 'UserErased', ...head(), user_id: 'olga' });
  const before = log.length;
  for (const [still, tag] of [
    [{ entitiesAt: async () => null }, 'read_model_behind'],
    [{ outcomeOf: async () => null }, 'not_shown'],
  ] as const) {
    const stopping = new AbortController();
    const read_model = { ...changing.read_model, ...still };
    const erasing = eraseAccount({ ...changing, read_model, stop: stopping.signal }, 'acc_a');
    await clock.advance(1_000);
    stopping.abort();
    t.like(await erasing, { left: { tag, waited_ms: 1_000 } });
  }
  t.is(log.length, before + 1);
});
