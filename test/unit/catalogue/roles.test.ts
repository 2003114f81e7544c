import test from 'ava';
import { type Entity, type EntityOf, isOfKind } from '../../../domain/catalogue/entities.ts';
import type {
  CatalogueEvent,
  InvitationRole,
  LimitedResource,
  RetainedRenderData,
} from '../../../domain/catalogue/events.ts';
import { MAX_IDENTITIES, MAX_INVITATION_MS, MAX_INVITATIONS } from '../../../domain/catalogue/limits.ts';
import type { CatalogueReason } from '../../../domain/catalogue/verdict.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { catalogue } from './_catalogue.ts';

type Content<T extends CatalogueEvent['type']> = Omit<Extract<CatalogueEvent, { type: T }>, 'meta' | 'rules' | 'type'>;

const OPERATOR = 'operator:ops';
const by = (actor: string, rules = 1) => ({ rules, meta: metaBy(actor) });

/** The actions of one actor, under rules 1 by default. */
const actions = (actor: string, rules = 1) => {
  const head = by(actor, rules);
  return {
    addOwner: (user_id: string, account_id = 'acc_a'): CatalogueEvent => ({
      ...{ type: 'AccountOwnerAdded', ...head, account_id, user_id },
    }),
    removeOwner: (user_id: string, account_id = 'acc_a'): CatalogueEvent => ({
      ...{ type: 'AccountOwnerRemoved', ...head, account_id, user_id },
    }),
    add: (team_id: string, user_id: string, role: 'admin' | 'member' = 'member'): CatalogueEvent => ({
      ...{ type: 'MemberAdded', ...head, team_id, user_id, role },
    }),
    role: (team_id: string, user_id: string, role: 'admin' | 'member'): CatalogueEvent => ({
      ...{ type: 'MemberRoleChanged', ...head, team_id, user_id, role },
    }),
    remove: (team_id: string, user_id: string): CatalogueEvent => ({
      ...{ type: 'MemberRemoved', ...head, team_id, user_id },
    }),
    invite: (
      invitation_id: string,
      team_id: string | null,
      role: InvitationRole,
      change: Partial<Content<'InvitationCreated'>> = {},
    ): CatalogueEvent => ({
      ...{ type: 'InvitationCreated', ...head, invitation_id, account_id: 'acc_a', team_id, role },
      ...{ token_sha256: 'de', expires_at: 1_000_000, ...change },
    }),
    accept: (invitation_id: string, user_id = actor.slice('user:'.length)): CatalogueEvent => ({
      ...{ type: 'InvitationAccepted', ...head, invitation_id, user_id },
    }),
    withdraw: (invitation_id: string): CatalogueEvent => ({ type: 'InvitationRevoked', ...head, invitation_id }),
    issue: (
      key_id: string,
      team_ids: string[],
      change: Partial<Content<'ApiKeyIssued'>> & { readonly rules?: number } = {},
    ): CatalogueEvent => ({
      ...{ type: 'ApiKeyIssued', ...head, key_id, account_id: 'acc_a', user_id: null, team_ids, name: key_id },
      ...{ secret_sha256: key_id, prefix: 'vr_', last4: 'z', expires_at: null, scopes: null, ...change },
    }),
    rotate: (key_id: string, new_key_id: string, overlap_until = 0): CatalogueEvent => ({
      ...{ type: 'ApiKeyRotated', ...head, key_id, new_key_id, secret_sha256: new_key_id },
      ...{ prefix: 'vr_', last4: 'z', expires_at: null, overlap_until },
    }),
    revoke: (key_id: string): CatalogueEvent => ({ type: 'ApiKeyRevoked', ...head, key_id }),
    team: (team_id: string, account_id = 'acc_a'): CatalogueEvent => ({
      ...{ type: 'TeamCreated', ...head, team_id, account_id, name: team_id },
    }),
    renameTeam: (team_id: string): CatalogueEvent => ({ type: 'TeamRenamed', ...head, team_id, name: 'Other' }),
    project: (project_id: string, team_id: string, created_by: string | null = null): CatalogueEvent => ({
      ...{ type: 'ProjectCreated', ...head, project_id, team_id, name: 'P', created_by, payload: null },
    }),
    version: (project_id: string): CatalogueEvent => ({
      ...{ type: 'ProjectVersionAdded', ...head, project_id, version: 1, base_version: 0, name: 'P' },
      ...{ document: '{}', document_sha256: 'ab', payload: null },
    }),
    eraseProject: (project_id: string): CatalogueEvent => ({ type: 'ProjectErased', ...head, project_id }),
    eraseUser: (user_id: string): CatalogueEvent => ({ type: 'UserErased', ...head, user_id }),
    eraseAccount: (account_id: string): CatalogueEvent => ({ type: 'AccountErased', ...head, account_id }),
    endpoint: (endpoint_id: string, team_id: string): CatalogueEvent => ({
      ...{ type: 'WebhookEndpointCreated', ...head, endpoint_id, team_id, url: 'https://a.example' },
      ...{ events: ['render.failed'], secret: 'v1.a.b' },
    }),
    enable: (endpoint_id: string): CatalogueEvent => ({ type: 'WebhookEndpointEnabled', ...head, endpoint_id }),
    rename: (account_id = 'acc_a'): CatalogueEvent => ({ type: 'AccountRenamed', ...head, account_id, name: 'Other' }),
    grant: (): CatalogueEvent => ({
      ...{ type: 'CreditsGranted', ...head, account_id: 'acc_a', grant_id: 'grant_x', credits: 5 },
    }),
    limit: (resource: LimitedResource, most: number | null): CatalogueEvent => ({
      ...{ type: 'AccountLimitSet', ...head, account_id: 'acc_a', resource, most },
    }),
    retain: (what: RetainedRenderData, days: number | null): CatalogueEvent => ({
      ...{ type: 'AccountRetentionSet', ...head, account_id: 'acc_a', what, days },
    }),
    retainDeliveries: (days: number | null): CatalogueEvent => ({
      ...{ type: 'DeliveryRetentionSet', ...head, account_id: 'acc_a', days },
    }),
    nameDownloads: (): CatalogueEvent => ({
      ...{ type: 'DownloadNamingSet', ...head, account_id: 'acc_a', named_by: 'id' },
    }),
    register: (user_id: string): CatalogueEvent => ({ type: 'UserRegistered', ...head, user_id, email: null }),
    email: (user_id: string): CatalogueEvent => ({
      ...{ type: 'UserEmailChanged', ...head, user_id, email: { path: `users/${user_id}/e`, sha256: 'aa' } },
    }),
    link: (identity_id: string, user_id: string): CatalogueEvent => ({
      ...{ type: 'IdentityLinked', ...head, identity_id, user_id },
    }),
    unlink: (identity_id: string, user_id: string): CatalogueEvent => ({
      ...{ type: 'IdentityUnlinked', ...head, identity_id, user_id },
    }),
  };
};

const operator = actions(OPERATOR);
const person = (name: string) => actions(`user:${name}`);

/**
 * Account A has the owner olga, the team `film` (admins ana and abe, member mia) and the team `print` (admin ana).
 * Account B has the owner otto and the team `rivals` (admin rita). The user noel is in no team.
 */
const WORLD: readonly CatalogueEvent[] = [
  ...['olga', 'ana', 'abe', 'mia', 'otto', 'rita', 'noel'].map(operator.register),
  { type: 'AccountCreated', ...by(OPERATOR), account_id: 'acc_a', name: 'A', unlimited_credits: true },
  { type: 'AccountCreated', ...by(OPERATOR), account_id: 'acc_b', name: 'B', unlimited_credits: true },
  operator.addOwner('olga'),
  operator.addOwner('otto', 'acc_b'),
  person('olga').team('film'),
  person('olga').team('print'),
  person('otto').team('rivals', 'acc_b'),
  operator.add('film', 'ana', 'admin'),
  person('ana').invite('inv_abe', 'film', 'admin'),
  person('abe').accept('inv_abe'),
  person('abe').invite('inv_mia', 'film', 'member'),
  person('mia').accept('inv_mia'),
  person('olga').add('print', 'ana', 'admin'),
  operator.add('rivals', 'rita', 'admin'),
  person('mia').project('proj_film', 'film'),
  person('rita').project('proj_rivals', 'rivals'),
  person('ana').endpoint('whe_film', 'film'),
  person('rita').endpoint('whe_rivals', 'rivals'),
  person('ana').issue('key_film', ['film']),
  person('ana').issue('key_both', ['film', 'print']),
  person('rita').issue('key_rivals', ['rivals'], { account_id: 'acc_b' }),
];

const outcomes = (events: readonly CatalogueEvent[], at = 1_000): readonly (CatalogueReason | 'ok')[] => {
  const { step } = catalogue(WORLD);
  return events.map((event, i) => {
    const verdict = step(event, at + i);
    return verdict.tag === 'accepted' ? 'ok' : verdict.reason;
  });
};

const worldAfter = (...events: readonly CatalogueEvent[]) => {
  const { entities, step } = catalogue(WORLD);
  events.forEach((event, i) => {
    step(event, 1_000 + i);
  });
  return entities;
};

const keyIn = (entities: ReadonlyMap<string, Entity>, id: string): EntityOf<'api_key'> => {
  const key = entities.get(`api_key ${id}`);
  if (key === undefined || !isOfKind('api_key')(key)) throw new Error(`there is no ${id}`);
  return key;
};

test('the fold accepts all events that set up these tests', (t) => {
  t.deepEqual(
    catalogue(WORLD).verdicts.filter(({ tag }) => tag === 'ignored'),
    [],
  );
});

/** Each action with the people who can do it; all others of both accounts get the reason. */
const RIGHTS: readonly (readonly [
  string,
  (does: ReturnType<typeof actions>) => CatalogueEvent,
  readonly string[],
  CatalogueReason,
])[] = [
  ['rename the account', (does) => does.rename(), ['olga'], 'owner_needed'],
  ['set the names of downloads', (does) => does.nameDownloads(), ['olga'], 'owner_needed'],
  ['create a team', (does) => does.team('team_new'), ['olga'], 'owner_needed'],
  ['add an owner', (does) => does.addOwner('mia'), ['olga'], 'owner_needed'],
  ['remove an owner', (does) => does.removeOwner('olga'), [], 'owner_needed'],
  ['invite an owner', (does) => does.invite('inv_x', null, 'owner'), ['olga'], 'owner_needed'],
  ['rename a team', (does) => does.renameTeam('film'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['add a member', (does) => does.add('print', 'mia'), ['olga', 'ana'], 'admin_needed'],
  ['promote a member', (does) => does.role('film', 'mia', 'admin'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['remove an admin', (does) => does.remove('film', 'abe'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['remove a member', (does) => does.remove('film', 'mia'), ['olga', 'ana', 'abe', 'mia'], 'admin_needed'],
  ['invite to a team', (does) => does.invite('inv_x', 'film', 'admin'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['create a service key', (does) => does.issue('key_x', ['film']), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['create a key of two teams', (does) => does.issue('key_x', ['film', 'print']), ['olga', 'ana'], 'admin_needed'],
  ['rotate a key', (does) => does.rotate('key_film', 'key_x'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['rotate a key of two teams', (does) => does.rotate('key_both', 'key_x'), ['olga', 'ana'], 'admin_needed'],
  ['revoke a key of two teams', (does) => does.revoke('key_both'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['create a project', (does) => does.project('proj_x', 'film'), ['olga', 'ana', 'abe', 'mia'], 'member_needed'],
  ['erase a project', (does) => does.eraseProject('proj_film'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['add a version', (does) => does.version('proj_film'), ['olga', 'ana', 'abe', 'mia'], 'member_needed'],
  ['create an endpoint', (does) => does.endpoint('whe_x', 'film'), ['olga', 'ana', 'abe'], 'admin_needed'],
  ['grant credits', (does) => does.grant(), [], 'operator_needed'],
  ['raise a limit', (does) => does.limit('keys', 1_000), [], 'operator_needed'],
  ['erase the account', (does) => does.eraseAccount('acc_a'), [], 'operator_needed'],
  ['erase a user', (does) => does.eraseUser('mia'), [], 'operator_needed'],
  [
    'erase the account under rules 3',
    (does) => ({ ...does.eraseAccount('acc_a'), rules: 3 }),
    ['olga'],
    'owner_needed',
  ],
  ['erase mia under rules 3', (does) => ({ ...does.eraseUser('mia'), rules: 3 }), ['mia'], 'own_user_needed'],
  ['register another user', (does) => does.register('user_x'), [], 'own_user_needed'],
  ["change mia's address", (does) => does.email('mia'), ['mia'], 'own_user_needed'],
  ['link an identity to mia', (does) => does.link('e0', 'mia'), ['mia'], 'own_user_needed'],
];

const PEOPLE = ['olga', 'ana', 'abe', 'mia', 'otto', 'rita', 'noel', 'nobody'];

for (const [what, does, who, reason] of RIGHTS)
  test(`only ${who.join(', ') || 'an operator'} can ${what}`, (t) => {
    for (const name of PEOPLE) {
      const [outcome] = outcomes([does(person(name))]);
      // olga is the last owner, so her removal is refused for this reason, and not for her role.
      const refused = what === 'remove an owner' && name === 'olga' ? 'last_owner' : reason;
      t.is(outcome, who.includes(name) ? 'ok' : refused, name);
    }
    const [by_operator] = outcomes([does(operator)]);
    t.is(by_operator, what === 'remove an owner' ? 'last_owner' : 'ok');
    t.deepEqual(outcomes([does(actions('key:key_film'))]), ['actor_unfit']);
    t.deepEqual(outcomes([does(actions('relay:rel_1'))]), ['actor_unfit']);
  });

const withScope = { scopes: ['projects:write'], rules: 4 };
const KEYS: readonly CatalogueEvent[] = [
  person('ana').issue('key_service', ['film'], withScope),
  person('ana').issue('key_ana', ['film'], { ...withScope, user_id: 'ana' }),
  person('mia').issue('key_mia', ['film'], { ...withScope, user_id: 'mia' }),
  operator.issue('key_of_mia', ['film'], { ...withScope, user_id: 'mia' }),
];

const byKey = (key_id: string) => actions(`key:${key_id}`, 4);

/** Outcomes after the events that issue {@link KEYS}. */
const keyed = (...events: readonly CatalogueEvent[]) => outcomes([...KEYS, ...events]).slice(KEYS.length);

test('a service key with the scope changes projects of its teams', (t) => {
  const key = byKey('key_service');
  const made = [key.project('p', 'film'), key.version('p'), key.version('proj_film'), key.eraseProject('p')];
  t.deepEqual(keyed(...made), ['ok', 'ok', 'ok', 'ok']);
  const foreign = [key.project('p', 'print'), key.version('proj_rivals'), key.eraseProject('nothing')];
  t.deepEqual([...new Set(keyed(...foreign))], ['member_needed']);
  t.deepEqual(keyed(key.project('p', 'film', 'mia')), ['own_user_needed']);
  t.deepEqual(keyed(key.renameTeam('film'), key.issue('key_x', ['film'])), ['actor_unfit', 'actor_unfit']);
});

test('a personal key with the scope has the role of its user', (t) => {
  t.deepEqual(keyed(byKey('key_ana').project('p', 'film', 'ana'), byKey('key_ana').eraseProject('p')), ['ok', 'ok']);
  const of_mia = byKey('key_of_mia');
  t.deepEqual(keyed(of_mia.project('p', 'film', 'mia'), of_mia.eraseProject('p')), ['ok', 'admin_needed']);
  t.deepEqual(keyed(operator.remove('film', 'mia'), of_mia.project('p', 'film', 'mia')).at(-1), 'key_revoked');
  t.is(keyed(operator.eraseUser('mia'), of_mia.project('p', 'film', 'mia')).at(-1), 'user_erased');
  t.deepEqual(keyed(byKey('key_mia').project('p', 'film', 'mia')), ['actor_unfit'], 'members create no keys');
});

test('a key without the scope, or one that has ended, changes no project', (t) => {
  t.deepEqual(keyed(byKey('key_film').version('proj_film')), ['scope_needed']);
  t.deepEqual(keyed(actions('key:key_service', 2).version('proj_film')), ['actor_unfit'], 'older rules');
  t.is(keyed(operator.revoke('key_service'), byKey('key_service').version('proj_film')).at(-1), 'key_revoked');
  const ends = operator.issue('key_ends', ['film'], { ...withScope, expires_at: 1_006 });
  t.deepEqual(keyed(ends, byKey('key_ends').version('proj_film')), ['ok', 'ok']);
  t.is(keyed(ends, operator.rename(), byKey('key_ends').version('proj_film')).at(-1), 'key_expired');
});

test('a rotated key keeps its scopes; other keys have no such member', (t) => {
  const world = worldAfter(...KEYS, operator.rotate('key_service', 'key_next'));
  t.deepEqual(keyIn(world, 'key_next').scopes, ['projects:write']);
  t.false('scopes' in keyIn(world, 'key_film'));
});

test('people are checked under all rules; older records of operators are not', (t) => {
  t.deepEqual(outcomes([actions('user:noel', 0).remove('film', 'mia')]), ['admin_needed']);
  t.deepEqual(outcomes([actions(OPERATOR, 0).remove('print', 'ana')]), ['ok']);
  t.deepEqual(outcomes([operator.remove('print', 'ana')]), ['last_admin']);
  t.deepEqual(outcomes([actions(OPERATOR, 0).removeOwner('olga')]), ['last_owner'], 'no record of this kind is older');
});

test('references to another account are refused in every combination', (t) => {
  for (const event of [
    person('olga').add('rivals', 'mia'),
    person('olga').remove('rivals', 'rita'),
    person('olga').role('rivals', 'rita', 'member'),
    person('olga').renameTeam('rivals'),
    person('olga').issue('key_x', ['rivals']),
    person('olga').issue('key_x', ['film', 'rivals']),
    person('olga').rotate('key_rivals', 'key_x'),
    person('olga').revoke('key_rivals'),
    person('olga').endpoint('whe_x', 'rivals'),
    person('olga').enable('whe_rivals'),
    person('ana').invite('inv_x', 'rivals', 'admin'),
    person('rita').invite('inv_x', 'rivals', 'admin'),
  ])
    t.deepEqual(outcomes([event]), ['admin_needed'], JSON.stringify(event));
  t.deepEqual(outcomes([person('olga').invite('inv_x', 'rivals', 'admin')]), ['admin_needed']);
  t.deepEqual(outcomes([person('olga').project('proj_x', 'rivals')]), ['member_needed']);
  t.deepEqual(outcomes([person('olga').version('proj_rivals')]), ['member_needed']);
  t.deepEqual(outcomes([person('otto').issue('key_x', ['rivals'])]), ['admin_needed']);
  t.deepEqual(outcomes([person('noel').issue('key_x', [], { account_id: 'acc_none' })]), ['admin_needed']);
  t.deepEqual(outcomes([operator.issue('key_x', ['rivals'])]), ['team_of_another_account']);
  t.deepEqual(outcomes([person('olga').rename('acc_b')]), ['owner_needed']);
  t.deepEqual(outcomes([person('olga').team('team_x', 'acc_b')]), ['owner_needed']);
});

test('no id is confused with another, because ids contain no separator', (t) => {
  // If the ids were only joined with a slash, the member "mallory" of "film/x" would be the member "x/mallory" of
  // "film".
  const mallory = person('x/mallory');
  t.deepEqual(
    outcomes([
      ...[person('mallory').register('mallory'), mallory.register('x/mallory')],
      ...[person('otto').team('film/x', 'acc_b'), operator.add('film/x', 'mallory', 'admin')],
      mallory.renameTeam('film'),
    ]),
    ['ok', 'id_unfit', 'id_unfit', 'team_unknown', 'admin_needed'],
  );
  const account = { type: 'AccountCreated', name: 'A', unlimited_credits: true } as const;
  for (const id of ['acc_a/x', '', 'a b', 'x'.repeat(101)])
    t.deepEqual(outcomes([{ ...account, ...by(OPERATOR), account_id: id }]), ['id_unfit'], id);
  t.deepEqual(
    outcomes([{ ...account, ...by(OPERATOR, 0), account_id: 'acc_a/x' }]),
    ['ok'],
    'older records stay valid',
  );
  t.deepEqual(outcomes([{ ...account, ...by(OPERATOR), account_id: 'acc_01JD-x_Z' }]), ['ok']);
});

test('a stranger is invited, not added, so that guessed ids reveal nothing', (t) => {
  for (const user of ['noel', 'rita', 'nobody']) {
    t.deepEqual(outcomes([person('ana').add('film', user)]), ['not_of_account'], user);
    t.deepEqual(outcomes([person('olga').addOwner(user)]), ['not_of_account'], user);
  }
  t.deepEqual(outcomes([operator.add('film', 'noel')]), ['ok']);
});

test("a person cannot create a project in another's name", (t) => {
  t.deepEqual(outcomes([person('mia').project('p', 'film', 'ana')]), ['own_user_needed']);
  t.deepEqual(outcomes([person('mia').project('p', 'film', 'mia')]), ['ok']);
  t.deepEqual(outcomes([operator.project('p', 'film', 'ana')]), ['ok']);
});

test('missing and foreign objects are refused alike', (t) => {
  t.deepEqual(outcomes([person('ana').renameTeam('team_none')]), ['admin_needed']);
  t.deepEqual(outcomes([person('ana').revoke('key_none')]), ['admin_needed']);
  t.deepEqual(outcomes([person('ana').enable('whe_none')]), ['admin_needed']);
  t.deepEqual(outcomes([person('ana').withdraw('inv_none')]), ['admin_needed']);
  t.deepEqual(outcomes([operator.revoke('key_none')]), ['key_unknown']);
});

test('objects of another account are refused like missing ones', (t) => {
  const theirs = [
    person('otto').invite('inv_owner', null, 'owner', { account_id: 'acc_b' }),
    person('rita').invite('inv_team', 'rivals', 'admin', { account_id: 'acc_b' }),
    person('rita').issue('key_rita', ['rivals'], { account_id: 'acc_b', user_id: 'rita' }),
  ];
  for (const name of ['olga', 'ana', 'noel']) {
    const does = person(name);
    for (const [there, none] of [
      [does.withdraw('inv_owner'), does.withdraw('inv_none')],
      [does.withdraw('inv_team'), does.withdraw('inv_none')],
      [does.invite('inv_x', 'rivals', 'admin'), does.invite('inv_x', 'team_none', 'admin')],
      [does.rotate('key_rita', 'key_x'), does.rotate('key_none', 'key_x')],
    ] as const) {
      const [of_theirs] = outcomes([...theirs, there]).slice(-1);
      t.is(of_theirs, 'admin_needed', `${name}: ${JSON.stringify(there)}`);
      t.deepEqual(outcomes([none]), ['admin_needed'], name);
    }
  }
});

test('one of two admins who remove each other at once stays', (t) => {
  t.deepEqual(outcomes([person('ana').remove('film', 'abe'), person('abe').remove('film', 'ana')]), [
    'ok',
    'admin_needed',
  ]);
  t.deepEqual(outcomes([operator.remove('film', 'abe'), operator.remove('film', 'ana')]), ['ok', 'last_admin']);
  t.deepEqual(outcomes([person('ana').remove('film', 'ana'), person('abe').remove('film', 'abe')]), [
    'ok',
    'last_admin',
  ]);
  t.deepEqual(outcomes([person('ana').role('film', 'abe', 'member'), person('abe').role('film', 'ana', 'member')]), [
    'ok',
    'admin_needed',
  ]);
  t.deepEqual(outcomes([person('olga').role('film', 'abe', 'member'), person('olga').role('film', 'ana', 'member')]), [
    'ok',
    'last_admin',
  ]);
});

test('one of two owners who remove each other at once stays', (t) => {
  const two = operator.addOwner('mia');
  t.deepEqual(outcomes([two, person('olga').removeOwner('mia'), person('mia').removeOwner('olga')]), [
    'ok',
    'ok',
    'owner_needed',
  ]);
  t.deepEqual(outcomes([two, person('olga').removeOwner('olga'), person('mia').removeOwner('mia')]), [
    'ok',
    'ok',
    'last_owner',
  ]);
  t.deepEqual(outcomes([two, operator.removeOwner('olga'), operator.removeOwner('mia')]), ['ok', 'ok', 'last_owner']);
});

test('a team without an admin loses nothing and can get an admin again', (t) => {
  const emptied = actions(OPERATOR, 0).remove('print', 'ana');
  t.deepEqual(outcomes([emptied, operator.add('print', 'mia'), operator.remove('print', 'mia')]), ['ok', 'ok', 'ok']);
  t.deepEqual(outcomes([emptied, person('olga').add('print', 'mia', 'admin'), person('mia').remove('print', 'mia')]), [
    'ok',
    'ok',
    'last_admin',
  ]);
});

test('an invitation works once, for the first person who uses it', (t) => {
  const invited = person('ana').invite('inv_x', 'film', 'admin');
  t.deepEqual(outcomes([invited, person('noel').accept('inv_x'), person('noel').accept('inv_x')]), [
    'ok',
    'ok',
    'invitation_accepted',
  ]);
  t.deepEqual(outcomes([invited, person('noel').accept('inv_x'), person('rita').accept('inv_x')]), [
    'ok',
    'ok',
    'invitation_accepted',
  ]);
  t.like(Object.fromEntries(worldAfter(invited, person('noel').accept('inv_x'))), {
    'membership film/noel': { role: 'admin', removed: false, joined_at: 1_001 },
    'invitation inv_x': { accepted_by: 'noel', accepted_at: 1_001 },
  });
});

test('an invitation fails for a member and still works for its guest', (t) => {
  const invited = person('ana').invite('inv_x', 'film', 'admin');
  t.deepEqual(outcomes([invited, person('mia').accept('inv_x'), person('noel').accept('inv_x')]), [
    'ok',
    'already_member',
    'ok',
  ]);
  const owner = person('olga').invite('inv_x', null, 'owner');
  t.deepEqual(outcomes([owner, person('olga').accept('inv_x'), person('mia').accept('inv_x')]), [
    'ok',
    'already_owner',
    'ok',
  ]);
});

test('an invitation fails if revoked, expired, for another user, or after 7 days', (t) => {
  const does = person('ana');
  t.deepEqual(outcomes([does.invite('i', 'film', 'member'), does.withdraw('i'), person('noel').accept('i')]), [
    'ok',
    'ok',
    'invitation_revoked',
  ]);
  t.deepEqual(outcomes([does.invite('i', 'film', 'member'), person('noel').accept('i'), does.withdraw('i')]), [
    'ok',
    'ok',
    'invitation_accepted',
  ]);
  const short = does.invite('i', 'film', 'member', { expires_at: 1_001 });
  t.deepEqual(outcomes([short, person('noel').accept('i')]), ['ok', 'invitation_expired']);
  t.deepEqual(outcomes([does.invite('i', 'film', 'member'), person('noel').accept('i', 'rita')]), [
    'ok',
    'own_user_needed',
  ]);
  t.deepEqual(outcomes([does.invite('i', 'film', 'member', { expires_at: 1_000 })]), ['invitation_expired']);
  const { entities, step } = catalogue(WORLD);
  step(does.invite('i', 'film', 'member', { expires_at: Number.MAX_SAFE_INTEGER }), 1_000);
  t.like(entities.get('invitation i'), { expires_at: 1_000 + MAX_INVITATION_MS });
  t.deepEqual(step(person('noel').accept('i'), 1_000 + MAX_INVITATION_MS), {
    tag: 'ignored',
    reason: 'invitation_expired',
  });
});

test('an invitation ends when its author loses the right to invite', (t) => {
  const kept = person('abe').invite('i', 'film', 'admin');
  t.deepEqual(outcomes([kept, person('ana').remove('film', 'abe'), person('abe').accept('i')]), [
    'ok',
    'ok',
    'inviter_lost_role',
  ]);
  t.deepEqual(outcomes([kept, person('ana').role('film', 'abe', 'member'), person('noel').accept('i')]), [
    'ok',
    'ok',
    'inviter_lost_role',
  ]);
  const as_owner = person('olga').invite('i', null, 'owner');
  t.deepEqual(
    outcomes([operator.addOwner('mia'), as_owner, operator.removeOwner('olga'), person('olga').accept('i')]),
    ['ok', 'ok', 'ok', 'inviter_lost_role'],
  );
});

test('an invitation is for exactly one team or account', (t) => {
  t.deepEqual(outcomes([person('olga').invite('i', 'film', 'owner')]), ['role_unfit']);
  t.deepEqual(outcomes([person('olga').invite('i', null, 'admin')]), ['role_unfit']);
  t.deepEqual(outcomes([operator.invite('i', 'team_none', 'admin')]), ['team_unknown']);
  t.deepEqual(outcomes([operator.invite('i', 'rivals', 'admin')]), ['team_of_another_account']);
});

test('the first of two links of an identity counts; unlinking frees it', (t) => {
  const [mia, noel] = [person('mia').link('e0', 'mia'), person('noel').link('e0', 'noel')];
  t.deepEqual(outcomes([mia, noel, mia]), ['ok', 'identity_of_another_user', 'already_so']);
  t.deepEqual(outcomes([mia, person('mia').unlink('e0', 'mia')]), ['ok', 'last_identity']);
  t.deepEqual(outcomes([mia, person('noel').unlink('e0', 'mia')]), ['ok', 'own_user_needed']);
  t.deepEqual(outcomes([mia, operator.unlink('e0', 'noel')]), ['ok', 'identity_of_another_user']);
  t.deepEqual(outcomes([mia, operator.unlink('e0', 'mia'), operator.unlink('e0', 'mia'), noel]), [
    'ok',
    'ok',
    'already_so',
    'ok',
  ]);
  const links = Array.from({ length: MAX_IDENTITIES + 1 }, (_, i) => person('mia').link(`e${i}`, 'mia'));
  t.is(outcomes(links).at(-1), 'too_many_identities');
  t.is(outcomes([...links.slice(0, -1), person('mia').unlink('e3', 'mia'), ...links.slice(-1)]).at(-1), 'ok');
});

test('only a member of all its teams can create a personal key', (t) => {
  t.deepEqual(outcomes([person('ana').issue('key_x', ['film', 'print'], { user_id: 'ana' })]), ['ok']);
  t.deepEqual(outcomes([person('ana').issue('key_x', ['film'], { user_id: 'mia' })]), ['own_user_needed']);
  t.deepEqual(outcomes([person('mia').issue('key_x', ['film'], { user_id: 'mia' })]), ['admin_needed']);
  t.deepEqual(outcomes([person('olga').issue('key_x', ['film'], { user_id: 'olga' })]), ['not_a_member']);
  t.deepEqual(outcomes([operator.issue('key_x', ['film', 'print'], { user_id: 'mia' })]), ['not_a_member']);
  t.deepEqual(outcomes([operator.issue('key_x', ['film'], { user_id: 'mia' }), person('ana').rotate('key_x', 'k')]), [
    'ok',
    'own_user_needed',
  ]);
  t.deepEqual(outcomes([operator.issue('key_x', ['film'], { user_id: 'mia' }), person('mia').revoke('key_x')]), [
    'ok',
    'ok',
  ]);
});

test('a personal key ends with each membership and does not return', (t) => {
  const made = [
    operator.issue('key_mine', ['film', 'print'], { user_id: 'ana' }),
    operator.rotate('key_mine', 'key_next', 900_000),
    operator.issue('key_short', ['film'], { user_id: 'ana' }),
  ];
  const left = worldAfter(...made, person('ana').remove('film', 'ana'));
  t.like(keyIn(left, 'key_mine'), { team_ids: ['print'], revoked_at: null });
  t.like(keyIn(left, 'key_next'), { team_ids: ['print'], revoked_at: null });
  t.like(keyIn(left, 'key_short'), { revoked_at: 1_003 });
  t.like(
    keyIn(left, 'key_both'),
    { team_ids: ['film', 'print'], revoked_at: null },
    'a service key belongs to no user',
  );

  const gone = [operator.add('print', 'mia', 'admin'), operator.remove('print', 'ana')];
  const back = [operator.add('film', 'ana', 'admin'), operator.add('print', 'ana', 'admin')];
  const again = worldAfter(...made, person('ana').remove('film', 'ana'), ...gone, ...back);
  for (const id of ['key_mine', 'key_next', 'key_short']) t.not(keyIn(again, id).revoked_at, null, id);
  t.deepEqual(
    outcomes([...made, person('ana').remove('film', 'ana'), operator.rotate('key_short', 'key_x')]).at(-1),
    'key_revoked',
  );
});

test('a key and the end of its membership leave no key in either order', (t) => {
  const [issue, remove] = [operator.issue('key_x', ['film'], { user_id: 'mia' }), operator.remove('film', 'mia')];
  t.deepEqual(outcomes([remove, issue]), ['ok', 'not_a_member']);
  t.is(keyIn(worldAfter(issue, remove), 'key_x').revoked_at, 1_001);
  t.is(keyIn(worldAfter(issue, actions(OPERATOR, 0).remove('film', 'mia')), 'key_x').revoked_at, 1_001);
  const rotated = worldAfter(issue, actions(OPERATOR, 0).rotate('key_x', 'key_y'), remove);
  t.is(keyIn(rotated, 'key_y').revoked_at, 1_002);
});

test('an older key keeps its rights, and its successor follows the new rules', (t) => {
  const old = actions(OPERATOR, 0).issue('key_old', ['film', 'print'], { user_id: 'mia' });
  t.like(keyIn(worldAfter(old, operator.remove('film', 'mia')), 'key_old'), {
    ...{ team_ids: ['film', 'print'], revoked_at: null },
  });
  t.deepEqual(outcomes([old, operator.rotate('key_old', 'key_new')]), ['ok', 'not_a_member']);
  const one = actions(OPERATOR, 0).issue('key_old', ['film'], { user_id: 'mia' });
  const now = worldAfter(one, operator.rotate('key_old', 'key_new', 900_000), operator.remove('film', 'mia'));
  t.is(keyIn(now, 'key_new').revoked_at, 1_002);
  t.is(keyIn(now, 'key_old').revoked_at, null);
});

/** A project of a document in a request of a render. */
const inline = (project_id: string, team_id: string): CatalogueEvent => ({
  ...operator.project(project_id, team_id),
  rules: 4,
});

/**
 * For each limit, the event that takes the last place and the event that finds none. Account A has two teams, one
 * project and so on.
 */
const LIMITS: readonly (readonly [LimitedResource, number, CatalogueEvent, CatalogueEvent, CatalogueReason])[] = [
  ['teams', 3, operator.team('t1'), person('olga').team('t2'), 'too_many_teams'],
  ['projects', 2, operator.project('p1', 'film'), person('mia').project('p2', 'print'), 'too_many_projects'],
  [
    ...(['endpoints', 2, operator.endpoint('w1', 'print')] as const),
    ...([person('ana').endpoint('w2', 'film'), 'too_many_endpoints_of_account'] as const),
  ],
  ['keys', 3, operator.issue('k1', ['film']), person('ana').issue('k2', ['film']), 'too_many_keys'],
  ['members', 5, operator.add('film', 'noel'), operator.add('print', 'rita'), 'too_many_members'],
  ['inline_projects', 1, inline('proj_inline_1', 'film'), inline('proj_inline_2', 'print'), 'too_many_inline_projects'],
];

for (const [resource, most, last, further, reason] of LIMITS)
  test(`a limit of ${resource} holds for concurrent requests and operators; lowering it removes nothing`, (t) => {
    // mia becomes a member of `print`, because only members can add a project to a team.
    const able = operator.add('print', 'mia');
    const limit = operator.limit(resource, most);
    t.deepEqual(outcomes([able, limit, last, further]), ['ok', 'ok', 'ok', reason]);
    t.deepEqual(outcomes([able, limit, further, last]), ['ok', 'ok', 'ok', reason]);
    t.deepEqual(outcomes([able, operator.limit(resource, 0), last, further]), ['ok', 'ok', reason, reason]);
    t.deepEqual(outcomes([limit, operator.limit(resource, null), able, last, further]).at(-1), 'ok');
    t.deepEqual(outcomes([limit, operator.limit(resource, most)]), ['ok', 'already_so']);
  });

test('a person counts once in an account, as owner and in all teams', (t) => {
  t.deepEqual(
    outcomes([
      ...[operator.limit('members', 4), operator.add('print', 'mia'), operator.addOwner('ana')],
      ...[operator.add('film', 'olga'), operator.add('film', 'noel')],
    ]),
    ['ok', 'ok', 'ok', 'ok', 'too_many_members'],
  );
  const freed = [operator.limit('members', 4), operator.remove('film', 'mia'), operator.add('film', 'noel')];
  t.deepEqual(outcomes(freed), ['ok', 'ok', 'ok']);
});

test('an invitation at the member limit stays valid until there is room', (t) => {
  const invited = person('ana').invite('i', 'film', 'member');
  t.deepEqual(
    outcomes([
      ...[invited, operator.limit('members', 4), person('noel').accept('i')],
      ...[operator.remove('film', 'mia'), person('noel').accept('i')],
    ]),
    ['ok', 'ok', 'too_many_members', 'ok', 'ok'],
  );
});

test('expired and revoked keys make room, and a full account can rotate', (t) => {
  const { step } = catalogue(WORLD);
  const told = (event: CatalogueEvent, at: number) => {
    const verdict = step(event, at);
    return verdict.tag === 'accepted' ? 'ok' : verdict.reason;
  };
  t.is(told(operator.limit('keys', 3), 1_000), 'ok');
  t.is(told(operator.issue('k1', ['film'], { expires_at: 2_000 }), 1_001), 'ok');
  t.is(told(operator.issue('k2', ['film']), 1_999), 'too_many_keys');
  t.is(told(operator.issue('k2', ['film']), 2_000), 'ok');
  t.is(told(operator.rotate('k2', 'k3', 9_000), 2_001), 'ok');
  t.is(told(operator.rotate('k3', 'k4', 9_000), 2_002), 'ok');
  t.is(told(operator.rotate('k4', 'k5', 9_000), 2_003), 'ok');
  t.is(
    told(operator.rotate('k5', 'k6', 9_000), 2_004),
    'too_many_keys',
    'as many overlapping keys as the limit continue',
  );
  t.is(told(operator.rotate('k5', 'k6', 0), 2_005), 'ok');
  t.is(told(operator.rotate('k6', 'k7', 9_500), 9_000), 'ok', 'those have expired');
  t.is(told(operator.revoke('k7'), 9_001), 'ok');
  t.is(told(operator.issue('k8', ['film']), 9_002), 'ok');
});

test('open invitations are limited; accepted, revoked and expired ones do not count', (t) => {
  const many = Array.from({ length: MAX_INVITATIONS }, (_, i) =>
    person('ana').invite(`i${i}`, 'film', 'member', { expires_at: 5_000 }),
  );
  const one = person('ana').invite('last', 'film', 'member');
  t.is(outcomes([...many, one]).at(-1), 'too_many_invitations');
  t.is(outcomes([...many, person('noel').accept('i7'), one]).at(-1), 'ok');
  t.is(outcomes([...many, person('ana').withdraw('i7'), one]).at(-1), 'ok');
  const { step } = catalogue(WORLD);
  many.forEach((event) => {
    step(event, 1_000);
  });
  t.is(step(one, 5_000).tag, 'accepted');
});

test('only operators set retention times, within bounds', (t) => {
  t.deepEqual(outcomes([operator.retain('outputs', 0)]), ['retention_out_of_range']);
  t.deepEqual(outcomes([operator.retain('media', 36_501)]), ['retention_out_of_range']);
  t.deepEqual(outcomes([operator.retainDeliveries(31)]), ['retention_out_of_range']);
  t.deepEqual(outcomes([operator.retainDeliveries(30), operator.retainDeliveries(30)]), ['ok', 'already_so']);
  t.deepEqual(outcomes([operator.retain('media', 36_500), operator.retain('media', 36_500)]), ['ok', 'already_so']);
  t.deepEqual(outcomes([operator.retain('outputs', null)]), ['already_so']);
});

test('operators set limits within bounds', (t) => {
  t.deepEqual(outcomes([operator.limit('keys', -1)]), ['limit_out_of_range']);
  t.deepEqual(outcomes([operator.limit('keys', 5_001)]), ['limit_out_of_range']);
  t.deepEqual(outcomes([operator.limit('keys', 5_000)]), ['ok']);
});

test('the fold ignores a second copy of each of these records', (t) => {
  const events = [
    ...[person('olga').addOwner('mia'), person('mia').removeOwner('olga'), person('mia').invite('i', null, 'owner')],
    ...[person('noel').accept('i'), person('noel').link('e0', 'noel'), operator.unlink('e0', 'noel')],
    ...[person('ana').remove('film', 'abe'), person('ana').issue('k', ['film']), person('noel').team('t')],
  ];
  for (const [i, event] of events.entries()) {
    const told = outcomes([...events.slice(0, i + 1), event]);
    t.true(
      told.slice(0, -1).every((one) => one === 'ok'),
      `${event.type}: ${told.join()}`,
    );
    t.not(told.at(-1), 'ok', event.type);
  }
});

test('an erased user gets nothing and loses everything, even as the last one', (t) => {
  const gone = [
    person('ana').issue('key_ana', ['film'], { user_id: 'ana' }),
    actions(OPERATOR, 0).issue('key_old', ['film'], { user_id: 'ana' }),
    person('ana').link('e0', 'ana'),
    person('ana').link('e1', 'ana'),
    person('ana').invite('inv_x', 'film', 'admin'),
    operator.eraseUser('ana'),
  ];
  const outcomesThen = (...events: readonly CatalogueEvent[]) => outcomes([...gone, ...events]).slice(gone.length);
  t.deepEqual(new Set(outcomes(gone)), new Set(['ok']));
  for (const event of [
    operator.add('rivals', 'ana'),
    operator.role('film', 'ana', 'member'),
    operator.addOwner('ana'),
    operator.issue('key_x', ['film'], { user_id: 'ana' }),
    actions(OPERATOR, 0).issue('key_x', ['film'], { user_id: 'ana' }),
    operator.rotate('key_ana', 'key_x'),
    actions(OPERATOR, 0).rotate('key_old', 'key_x'),
    operator.link('e2', 'ana'),
    operator.email('ana'),
    operator.accept('inv_x', 'ana'),
    person('ana').renameTeam('film'),
    person('ana').remove('film', 'ana'),
    person('ana').revoke('key_ana'),
    person('ana').unlink('e0', 'ana'),
    person('ana').register('ana'),
    person('ana').eraseUser('ana'),
  ])
    t.deepEqual(outcomesThen(event), ['user_erased'], JSON.stringify(event));
  t.deepEqual(outcomesThen(person('noel').accept('inv_x')), ['inviter_lost_role']);
  t.deepEqual(outcomesThen(operator.register('ana'), operator.eraseUser('ana'), operator.eraseUser('nobody')), [
    'already_exists',
    'already_erased',
    'user_unknown',
  ]);
  const taken = [
    operator.remove('print', 'ana'),
    operator.remove('film', 'ana'),
    operator.revoke('key_old'),
    operator.unlink('e0', 'ana'),
    operator.unlink('e1', 'ana'),
  ];
  t.deepEqual(outcomesThen(...taken), ['ok', 'ok', 'ok', 'ok', 'ok']);
  t.deepEqual(outcomes([operator.eraseUser('olga'), operator.removeOwner('olga')]), ['ok', 'ok']);
  const entities = worldAfter(...gone, ...taken);
  t.like(Object.fromEntries(entities), {
    'user ana': { email: null, erased: { at: 1_005, by: OPERATOR, event_id: by(OPERATOR).meta.event_id } },
    'membership film/ana': { removed: true },
    'user_identities ana': { identity_ids: [] },
    'team_roster print': { members: 0, admins: 0 },
  });
  for (const id of ['key_ana', 'key_old']) t.not(keyIn(entities, id).revoked_at, null, id);
  t.is(keyIn(entities, 'key_film').revoked_at, null, 'the key belongs to no user');
  t.deepEqual(outcomesThen(person('abe').renameTeam('film'), operator.add('print', 'abe', 'admin')), ['ok', 'ok']);
});

test('an erased account gets nothing and ends; another account is unaffected', (t) => {
  const gone = [
    person('olga').invite('inv_x', null, 'owner'),
    operator.endpoint('whe_x', 'film'),
    operator.eraseAccount('acc_a'),
  ];
  const outcomesThen = (...events: readonly CatalogueEvent[]) => outcomes([...gone, ...events]).slice(gone.length);
  t.deepEqual(outcomes(gone), ['ok', 'ok', 'ok']);
  for (const does of [operator, actions(OPERATOR, 0), person('olga')])
    for (const event of [
      does.rename(),
      does.team('team_x'),
      does.renameTeam('film'),
      does.add('film', 'ana'),
      does.role('film', 'mia', 'admin'),
      does.issue('key_x', ['film']),
      does.rotate('key_film', 'key_x'),
      does.project('proj_x', 'film'),
      does.version('proj_film'),
      does.endpoint('whe_y', 'film'),
      does.enable('whe_film'),
      does.addOwner('mia'),
      does.invite('inv_y', null, 'owner'),
    ])
      t.deepEqual(outcomesThen(event), ['account_erased'], JSON.stringify(event));
  for (const event of [
    operator.grant(),
    operator.limit('keys', 9),
    operator.retain('outputs', 9),
    person('noel').accept('inv_x'),
  ])
    t.deepEqual(outcomesThen(event), ['account_erased'], JSON.stringify(event));
  const ends = [
    ...[operator.revoke('key_film'), operator.revoke('key_both'), operator.withdraw('inv_x')],
    ...[operator.eraseProject('proj_film'), operator.removeOwner('olga')],
    ...[operator.remove('film', 'ana'), operator.remove('film', 'abe'), operator.remove('film', 'mia')],
    operator.remove('print', 'ana'),
  ];
  t.deepEqual(new Set(outcomesThen(...ends)), new Set(['ok']));
  const deleted = ['whe_film', 'whe_x'].map(
    (endpoint_id): CatalogueEvent => ({
      ...{ type: 'WebhookEndpointDeleted', ...by(OPERATOR), endpoint_id, team_id: 'film' },
    }),
  );
  t.deepEqual(outcomesThen(...deleted), ['ok', 'ok']);
  t.like(Object.fromEntries(worldAfter(...gone, ...ends, ...deleted)), {
    'account acc_a': { name: '', erased: { at: 1_002, by: OPERATOR } },
    'account acc_b': { name: 'B' },
    'account_usage acc_a': { owners: 0, members: 0, projects: 0, endpoints: 0, lasting_keys: 0, invitations: [] },
  });
  t.deepEqual(outcomesThen(operator.eraseAccount('acc_a'), operator.eraseAccount('acc_x')), [
    'already_erased',
    'account_unknown',
  ]);
  t.deepEqual(
    outcomesThen(person('rita').renameTeam('rivals'), person('otto').rename('acc_b'), operator.add('rivals', 'mia')),
    ['ok', 'ok', 'ok'],
  );
  t.deepEqual(outcomes([operator.eraseAccount('acc_b'), operator.removeOwner('olga')]), ['ok', 'last_owner']);
});

test('a self-erased user is removed in their own name and can do nothing else', (t) => {
  const ana = person('ana');
  const gone = [
    ...[ana.issue('key_ana', ['film'], { user_id: 'ana' }), ana.link('e0', 'ana'), operator.addOwner('ana')],
    actions('user:ana', 3).eraseUser('ana'),
  ];
  const outcomesThen = (...events: readonly CatalogueEvent[]) => outcomes([...gone, ...events]).slice(gone.length);
  t.deepEqual(new Set(outcomes(gone)), new Set(['ok']));
  const taken = [
    ...[ana.revoke('key_ana'), ana.unlink('e0', 'ana'), ana.removeOwner('ana')],
    ...[ana.remove('print', 'ana'), ana.remove('film', 'ana')],
  ];
  t.deepEqual(new Set(outcomesThen(...taken)), new Set(['ok']));
  for (const event of [
    ...[ana.remove('film', 'mia'), ana.removeOwner('olga'), ana.revoke('key_film'), ana.eraseProject('proj_film')],
    ...[ana.add('film', 'ana'), ana.renameTeam('film'), actions('user:ana', 3).eraseAccount('acc_a')],
  ])
    t.deepEqual(outcomesThen(event), ['user_erased'], JSON.stringify(event));
  t.deepEqual(outcomesThen(person('mia').revoke('key_ana')), ['admin_needed']);
});

test("an account erased by its owner is removed in the owner's name", (t) => {
  const olga = person('olga');
  const endpointDeleted = (endpoint_id: string, team_id: string): CatalogueEvent => ({
    ...{ type: 'WebhookEndpointDeleted', ...by('user:olga'), endpoint_id, team_id },
  });
  const ends = [
    ...[olga.removeOwner('olga'), olga.revoke('key_film'), olga.revoke('key_both'), olga.withdraw('inv_x')],
    ...[olga.eraseProject('proj_film'), olga.remove('film', 'ana'), olga.remove('film', 'abe')],
    ...[olga.remove('film', 'mia'), olga.remove('print', 'ana'), endpointDeleted('whe_film', 'film')],
  ];
  const gone = [olga.invite('inv_x', null, 'owner'), actions('user:olga', 3).eraseAccount('acc_a')];
  for (const before of [
    gone,
    [...gone, operator.eraseUser('olga')],
    [...gone, actions('user:olga', 3).eraseUser('olga')],
  ]) {
    const outcomesThen = (...events: readonly CatalogueEvent[]) =>
      outcomes([...before, ...events]).slice(before.length);
    t.deepEqual(new Set(outcomes([...before, ...ends])), new Set(['ok']));
    t.like(Object.fromEntries(worldAfter(...before, ...ends)), {
      'account_usage acc_a': { owners: 0, members: 0, projects: 0, endpoints: 0, lasting_keys: 0, invitations: [] },
    });
    for (const event of [
      ...[olga.eraseProject('proj_rivals'), olga.remove('rivals', 'rita'), olga.revoke('key_rivals')],
      ...[olga.removeOwner('otto', 'acc_b'), endpointDeleted('whe_rivals', 'film')],
    ])
      t.not(outcomesThen(event)[0], 'ok', JSON.stringify(event));
  }
  // An operator has erased the account and removed its owner, so the former owner can change nothing.
  t.deepEqual(outcomes([operator.eraseAccount('acc_a'), operator.removeOwner('olga'), olga.remove('film', 'mia')]), [
    ...(['ok', 'ok', 'admin_needed'] as const),
  ]);
});

test("if both admins erase themselves, the account's owner adds another", (t) => {
  const [ana, abe] = [actions('user:ana', 3), actions('user:abe', 3)];
  const gone = [ana.eraseUser('ana'), abe.eraseUser('abe'), ana.remove('film', 'ana'), abe.remove('film', 'abe')];
  const managed = [person('olga').renameTeam('film'), person('olga').role('film', 'mia', 'admin')];
  t.deepEqual(new Set(outcomes([...gone, ...managed, person('mia').add('film', 'olga')])), new Set(['ok']));
});

test('the second of two concurrent erasures of the same thing changes nothing', (t) => {
  const olga = actions('user:olga', 3);
  const mia = actions('user:mia', 3);
  t.deepEqual(outcomes([mia.eraseUser('mia'), mia.eraseUser('mia')]), ['ok', 'user_erased']);
  t.deepEqual(
    outcomes([operator.addOwner('ana'), olga.eraseAccount('acc_a'), actions('user:ana', 3).eraseAccount('acc_a')]),
    [...(['ok', 'ok', 'already_erased'] as const)],
  );
  t.deepEqual(
    outcomes([operator.addOwner('ana'), person('ana').removeOwner('olga'), olga.eraseAccount('acc_a')]),
    ['ok', 'ok', 'owner_needed'],
    'the owner was removed between the read and the record',
  );
});
