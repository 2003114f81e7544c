import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueCommand } from '../../../domain/catalogue/commands.ts';
import { decideCatalogue } from '../../../domain/catalogue/decide.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { CatalogueReason, CatalogueView } from '../../../domain/catalogue/verdict.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { catalogue, ofKind } from './_catalogue.ts';

const meta = { ...metaBy('operator:ops'), occurred_at: 1_000 };

const NEW_KEY = { name: 'CI', secret_sha256: 'bb', prefix: 'vr_abcd', last4: 'wxyz', expires_at: null };
const ISSUE = { type: 'IssueKey', key_id: 'key_1', account_id: 'acc_1', user_id: null, team_ids: ['team_1'] } as const;
const ROTATE = { type: 'RotateKey', key_id: 'key_1', new_key_id: 'key_2', secret_sha256: 'bc' } as const;
const ROTATED = { prefix: 'vr_efgh', last4: 'stuv', overlap_ms: 500 };
const INVITATION = {
  type: 'Invite',
  invitation_id: 'inv_1',
  account_id: 'acc_1',
  team_id: 'team_1',
  role: 'admin',
  token_sha256: 'de',
  expires_at: 2_000,
} as const;
const HOOK = { endpoint_id: 'whe_1', team_id: 'team_1', url: 'https://a.example/', secret: 'v1.a.b' };
const PAYLOAD = { path: 'projects/proj_1/a.json', sha256: 'ab' };
const PROJECT = { project_id: 'proj_1', team_id: 'team_1', name: 'Sale', created_by: null, payload: PAYLOAD };
const VERSION = { project_id: 'proj_1', base_version: 0, payload: PAYLOAD };

/** The life of a small catalogue: each command with its event. */
const LIFE: readonly (readonly [CatalogueCommand, CatalogueEvent['type']])[] = [
  [{ type: 'CreateAccount', account_id: 'acc_1', name: 'Acme', unlimited_credits: true }, 'AccountCreated'],
  [{ type: 'RenameAccount', account_id: 'acc_1', name: 'Acme Films' }, 'AccountRenamed'],
  [{ type: 'SetCreditLimit', account_id: 'acc_1', unlimited_credits: false }, 'CreditLimitImposed'],
  [{ type: 'SetCreditLimit', account_id: 'acc_1', unlimited_credits: true }, 'CreditLimitLifted'],
  [{ type: 'GrantCredits', account_id: 'acc_1', grant_id: 'grant_1', credits: 5 }, 'CreditsGranted'],
  [{ type: 'CreateTeam', team_id: 'team_1', account_id: 'acc_1', name: 'Film' }, 'TeamCreated'],
  [{ type: 'RenameTeam', team_id: 'team_1', name: 'Studio' }, 'TeamRenamed'],
  [{ type: 'RegisterUser', user_id: 'user_1', email: null }, 'UserRegistered'],
  [{ type: 'ChangeEmail', user_id: 'user_1', email: { path: 'users/user_1/e', sha256: 'aa' } }, 'UserEmailChanged'],
  [{ type: 'AddMember', team_id: 'team_1', user_id: 'user_1', role: 'member' }, 'MemberAdded'],
  [{ type: 'RegisterUser', user_id: 'user_2', email: null }, 'UserRegistered'],
  [INVITATION, 'InvitationCreated'],
  [{ type: 'AcceptInvitation', invitation_id: 'inv_1', user_id: 'user_2' }, 'InvitationAccepted'],
  [{ ...INVITATION, invitation_id: 'inv_2', team_id: null, role: 'owner' }, 'InvitationCreated'],
  [{ type: 'RevokeInvitation', invitation_id: 'inv_2' }, 'InvitationRevoked'],
  [{ type: 'AddOwner', account_id: 'acc_1', user_id: 'user_1' }, 'AccountOwnerAdded'],
  [{ type: 'AddOwner', account_id: 'acc_1', user_id: 'user_2' }, 'AccountOwnerAdded'],
  [{ type: 'RemoveOwner', account_id: 'acc_1', user_id: 'user_2' }, 'AccountOwnerRemoved'],
  [{ type: 'LinkIdentity', identity_id: 'e0', user_id: 'user_1' }, 'IdentityLinked'],
  [{ type: 'UnlinkIdentity', identity_id: 'e0', user_id: 'user_1' }, 'IdentityUnlinked'],
  [{ type: 'SetLimit', account_id: 'acc_1', resource: 'keys', most: 20 }, 'AccountLimitSet'],
  [{ type: 'SetRetention', account_id: 'acc_1', what: 'outputs', days: 90 }, 'AccountRetentionSet'],
  [{ type: 'SetDeliveryRetention', account_id: 'acc_1', days: 3 }, 'DeliveryRetentionSet'],
  [{ type: 'NameDownloads', account_id: 'acc_1', named_by: 'id' }, 'DownloadNamingSet'],
  [{ type: 'ChangeRole', team_id: 'team_1', user_id: 'user_1', role: 'admin' }, 'MemberRoleChanged'],
  [{ ...ISSUE, ...NEW_KEY }, 'ApiKeyIssued'],
  [{ ...ROTATE, ...ROTATED }, 'ApiKeyRotated'],
  [{ type: 'RevokeKey', key_id: 'key_2' }, 'ApiKeyRevoked'],
  [{ type: 'CreateProject', ...PROJECT }, 'ProjectCreated'],
  [{ type: 'AddVersion', ...VERSION }, 'ProjectVersionAdded'],
  [{ type: 'CreateEndpoint', ...HOOK, events: ['render.failed', 'render.complete'] }, 'WebhookEndpointCreated'],
  [{ type: 'ChooseEvents', endpoint_id: 'whe_1', events: ['render.complete'] }, 'WebhookEventsChosen'],
  [{ type: 'RotateSecret', endpoint_id: 'whe_1', secret: 'v1.c.d' }, 'WebhookSecretRotated'],
  [{ type: 'ActivateSecret', endpoint_id: 'whe_1' }, 'WebhookSecretActivated'],
  [{ type: 'DisableEndpoint', endpoint_id: 'whe_1' }, 'WebhookEndpointDisabled'],
  [{ type: 'EnableEndpoint', endpoint_id: 'whe_1' }, 'WebhookEndpointEnabled'],
  [{ type: 'DeleteEndpoint', endpoint_id: 'whe_1' }, 'WebhookEndpointDeleted'],
  [{ type: 'RemoveMember', team_id: 'team_1', user_id: 'user_1' }, 'MemberRemoved'],
  [{ type: 'EraseProject', project_id: 'proj_1' }, 'ProjectErased'],
  [{ type: 'EraseUser', user_id: 'user_1' }, 'UserErased'],
  [{ type: 'EraseAccount', account_id: 'acc_1' }, 'AccountErased'],
];

/** Decides commands in sequence, each on the fold of the events before. */
const deciding = (at: number = meta.occurred_at) => {
  const { entities, step } = catalogue([]);
  return (command: CatalogueCommand, actor = meta.actor) => {
    const view: CatalogueView = (kind, id) => ofKind(entities.get(`${kind} ${id}`), kind);
    const decided = decideCatalogue(view, command, { ...meta, actor, occurred_at: at });
    const read = command.type === 'CreateProject' ? { name: command.name, salt: '00' } : {};
    if (E.isRight(decided)) for (const event of decided.right) step({ ...event, ...read }, at);
    return decided;
  };
};

const inTurn = (decide: ReturnType<typeof deciding>) => (command: CatalogueCommand) => decide(command);

const answer = (life: readonly CatalogueCommand[], at?: number): readonly string[] | string => {
  const decide = deciding(at);
  const decided = life.map((command) => decide(command)).at(-1) ?? E.right([]);
  if (E.isRight(decided)) return decided.right.map(({ type }) => type);
  return decided.left.tag === 'illegal' ? decided.left.reason : decided.left.tag;
};

const until = (type: CatalogueEvent['type']): readonly CatalogueCommand[] =>
  LIFE.slice(0, LIFE.findIndex(([, led_to]) => led_to === type) + 1).map(([command]) => command);

test('every command produces its event, with actor, time and data', (t) => {
  const decide = deciding();
  for (const [command, type] of LIFE) {
    const decided = decide(command);
    t.true(E.isRight(decided), type);
    if (E.isRight(decided)) t.like(decided.right, { length: 1, 0: { type, meta } });
  }
});

test('project events without names and documents have a type that older code refuses', (t) => {
  const decide = deciding();
  for (const [command] of LIFE) {
    const decided = decide(command);
    const [event] = E.isRight(decided) ? decided.right : [];
    const is_outside = event?.type === 'ProjectCreated' || event?.type === 'ProjectVersionAdded';
    t.is(event?.rules, is_outside ? 2 : 1, command.type);
    if (is_outside) t.like(event, { name: '', payload: PAYLOAD });
    if (event?.type === 'ProjectVersionAdded') t.like(event, { document: '', document_sha256: '' });
  }
});

test('a key with scopes, and changes of projects by a key, have rules 4', (t) => {
  const decide = deciding();
  for (const command of until('ApiKeyIssued').slice(0, -1)) decide(command);
  const rulesOf = (command: CatalogueCommand, actor?: string) => {
    const decided = decide(command, actor);
    return E.isRight(decided) ? decided.right[0]?.rules : null;
  };
  const issue = { ...ISSUE, ...NEW_KEY, scopes: ['projects:write'] } as const;
  t.is(rulesOf(issue), 4);
  t.is(rulesOf({ type: 'CreateProject', ...PROJECT }, 'key:key_1'), 4);
  t.is(rulesOf({ type: 'AddVersion', ...VERSION }, 'key:key_1'), 4);
  t.is(rulesOf({ type: 'EraseProject', project_id: 'proj_1' }, 'key:key_1'), 4);
});

test('erasures by people have rules 3, and erasures by operators older rules', (t) => {
  for (const [actor, rules] of [
    ['operator:ops', 1],
    ['user:user_1', 3],
  ] as const) {
    const decide = deciding();
    for (const command of until('AccountOwnerAdded')) decide(command);
    for (const command of [
      { type: 'EraseAccount', account_id: 'acc_1' },
      { type: 'EraseUser', user_id: 'user_1' },
    ] as const) {
      const erased = decide(command, actor);
      t.like(erased, { right: [{ rules, meta: { actor } }] }, `${actor} ${command.type}`);
      t.deepEqual(decide(command, actor), E.right([]), 'a repeat');
    }
    t.like(decide({ type: 'EraseUser', user_id: 'user_2' }, 'user:user_1'), { left: { reason: 'user_erased' } });
  }
});

/**
 * Commands whose repeat is refused with this reason. Otherwise, a repeat would be executed again or reported as done.
 */
const NOT_REPEATABLE: Partial<Record<CatalogueCommand['type'], CatalogueReason>> = {
  Invite: 'already_exists',
  RegisterUser: 'already_exists',
  IssueKey: 'already_exists',
  RotateKey: 'already_exists',
  AddVersion: 'base_version_outdated',
};

test('a repeated command produces nothing, and an unrepeatable one is refused', (t) => {
  for (const [index, [command]] of LIFE.entries()) {
    const life = LIFE.slice(0, index + 1).map(([one]) => one);
    t.deepEqual(answer([...life, command]), NOT_REPEATABLE[command.type] ?? [], command.type);
  }
});

const ACCOUNT = until('AccountCreated');
const TEAM = until('TeamCreated');
const OTHER_ACCOUNT: CatalogueCommand = {
  ...{ type: 'CreateAccount', account_id: 'acc_2', name: 'Other', unlimited_credits: false },
};
const hooks = (count: number): readonly CatalogueCommand[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ type: 'CreateEndpoint', ...HOOK, endpoint_id: `whe_${n}`, events: ['render.failed'] },
  }));

/** A command that the fold would ignore, after the commands that lead there. `elsewhere`: no command can cause it. */
const REFUSALS: Readonly<Record<CatalogueReason, readonly CatalogueCommand[] | 'repeat' | 'elsewhere'>> = {
  already_exists: [...ACCOUNT, { type: 'CreateAccount', account_id: 'acc_1', name: 'Acme', unlimited_credits: false }],
  already_so: 'repeat',
  account_unknown: [{ type: 'CreateTeam', team_id: 'team_1', account_id: 'acc_1', name: 'Film' }],
  team_unknown: [...TEAM, { type: 'CreateProject', ...PROJECT, team_id: 'team_x' }],
  user_unknown: [...TEAM, { type: 'AddMember', team_id: 'team_1', user_id: 'user_x', role: 'admin' }],
  key_unknown: [{ type: 'RevokeKey', key_id: 'key_x' }],
  project_erased: [...until('ProjectErased'), { type: 'AddVersion', ...VERSION, base_version: 1 }],
  user_erased: [...until('UserErased'), { type: 'AddMember', team_id: 'team_1', user_id: 'user_1', role: 'admin' }],
  account_erased: [...until('AccountErased'), { type: 'RenameTeam', team_id: 'team_1', name: 'T' }],
  already_erased: 'repeat',
  project_unknown: [{ type: 'AddVersion', ...VERSION }],
  already_granted: [
    ...until('CreditsGranted'),
    { type: 'GrantCredits', account_id: 'acc_1', grant_id: 'grant_1', credits: 6 },
  ],
  too_many_credits: [
    ...ACCOUNT,
    { type: 'GrantCredits', account_id: 'acc_1', grant_id: 'g', credits: Number.MAX_SAFE_INTEGER },
    { type: 'GrantCredits', account_id: 'acc_1', grant_id: 'h', credits: 1 },
  ],
  credits_not_positive: [...ACCOUNT, { type: 'GrantCredits', account_id: 'acc_1', grant_id: 'g', credits: -5 }],
  already_member: [...until('MemberAdded'), { type: 'AddMember', team_id: 'team_1', user_id: 'user_1', role: 'admin' }],
  not_a_member: [...until('UserRegistered'), { type: 'RemoveMember', team_id: 'team_1', user_id: 'user_1' }],
  no_teams: [...TEAM, { ...ISSUE, ...NEW_KEY, team_ids: [] }],
  too_many_teams_of_key: [...TEAM, { ...ISSUE, ...NEW_KEY, team_ids: Array.from({ length: 201 }, () => 'team_1') }],
  team_of_another_account: [...TEAM, OTHER_ACCOUNT, { ...ISSUE, ...NEW_KEY, account_id: 'acc_2' }],
  already_revoked: 'repeat',
  already_rotated: [...until('ApiKeyRotated'), { ...ROTATE, ...ROTATED, new_key_id: 'key_3' }],
  key_revoked: [...until('ApiKeyIssued'), { type: 'RevokeKey', key_id: 'key_1' }, { ...ROTATE, ...ROTATED }],
  key_expired: [...TEAM, { ...ISSUE, ...NEW_KEY, expires_at: 999 }, { ...ROTATE, ...ROTATED }],
  secret_in_use: [...until('ApiKeyIssued'), { ...ROTATE, ...ROTATED, secret_sha256: 'bb' }],
  base_version_outdated: [...until('ProjectVersionAdded'), { type: 'AddVersion', ...VERSION, base_version: 2 }],
  version_unknown: 'elsewhere',
  already_made: 'elsewhere',
  newer_one_made: 'elsewhere',
  endpoint_unknown: [{ type: 'DeleteEndpoint', endpoint_id: 'whe_x' }],
  endpoint_deleted: [...until('WebhookEndpointDeleted'), { type: 'EnableEndpoint', endpoint_id: 'whe_1' }],
  endpoint_of_another_team: 'elsewhere',
  too_many_endpoints: [...TEAM, ...hooks(21)],
  url_not_https: [...TEAM, { type: 'CreateEndpoint', ...HOOK, url: 'http://a.example/', events: ['render.failed'] }],
  no_events: [...TEAM, { type: 'CreateEndpoint', ...HOOK, events: [] }],
  event_unknown: 'elsewhere',
  no_rotation: 'elsewhere',
  enabled_meanwhile: 'elsewhere',
  operator_needed: 'elsewhere',
  owner_needed: 'elsewhere',
  admin_needed: 'elsewhere',
  member_needed: 'elsewhere',
  own_user_needed: 'elsewhere',
  scope_needed: 'elsewhere',
  actor_unfit: 'elsewhere',
  id_unfit: [{ type: 'RegisterUser', user_id: 'film/user_1', email: null }],
  not_of_account: 'elsewhere',
  already_owner: 'repeat',
  not_an_owner: [...until('UserRegistered'), { type: 'RemoveOwner', account_id: 'acc_1', user_id: 'user_1' }],
  last_owner: [
    ...until('UserRegistered'),
    { type: 'AddOwner', account_id: 'acc_1', user_id: 'user_1' },
    { type: 'RemoveOwner', account_id: 'acc_1', user_id: 'user_1' },
  ],
  last_admin: [
    ...until('UserRegistered'),
    { type: 'AddMember', team_id: 'team_1', user_id: 'user_1', role: 'admin' },
    { type: 'RemoveMember', team_id: 'team_1', user_id: 'user_1' },
  ],
  role_unfit: [...TEAM, { ...INVITATION, role: 'owner' }],
  invitation_unknown: [{ type: 'RevokeInvitation', invitation_id: 'inv_x' }],
  invitation_accepted: [...until('InvitationAccepted'), { type: 'RevokeInvitation', invitation_id: 'inv_1' }],
  invitation_revoked: [
    ...until('InvitationRevoked'),
    { type: 'AcceptInvitation', invitation_id: 'inv_2', user_id: 'user_2' },
  ],
  invitation_expired: [...TEAM, { ...INVITATION, expires_at: 999 }],
  inviter_lost_role: 'elsewhere',
  identity_unknown: [{ type: 'UnlinkIdentity', identity_id: 'e0', user_id: 'user_1' }],
  identity_of_another_user: [
    ...until('IdentityLinked'),
    { type: 'LinkIdentity', identity_id: 'e0', user_id: 'user_2' },
  ],
  last_identity: 'elsewhere',
  limit_out_of_range: [...ACCOUNT, { type: 'SetLimit', account_id: 'acc_1', resource: 'keys', most: 5_001 }],
  retention_out_of_range: [...ACCOUNT, { type: 'SetRetention', account_id: 'acc_1', what: 'media', days: 0 }],
  too_many_keys: 'elsewhere',
  too_many_endpoints_of_account: 'elsewhere',
  too_many_teams: 'elsewhere',
  too_many_projects: 'elsewhere',
  too_many_inline_projects: 'elsewhere',
  too_many_members: 'elsewhere',
  too_many_invitations: 'elsewhere',
  too_many_identities: 'elsewhere',
};

for (const [reason, life] of Object.entries(REFUSALS))
  if (typeof life !== 'string')
    test(`a command that the fold would ignore is refused: ${reason}`, (t) => {
      t.is(answer(life), reason);
    });

const WITH_OTHERS: readonly (readonly [string, readonly CatalogueCommand[]])[] = [
  ['a team', [...TEAM, { type: 'CreateTeam', team_id: 'team_1', account_id: 'acc_1', name: 'Other' }]],
  ['a project', [...until('ProjectCreated'), { type: 'CreateProject', ...PROJECT, name: 'Other' }]],
  ['an endpoint', [...until('WebhookEndpointCreated'), { type: 'CreateEndpoint', ...HOOK, events: ['render.failed'] }]],
  [
    'a deleted endpoint',
    [
      ...until('WebhookEndpointDeleted'),
      { type: 'CreateEndpoint', ...HOOK, events: ['render.failed', 'render.complete'] },
    ],
  ],
];

for (const [what, life] of WITH_OTHERS)
  test(`${what} that exists with other properties is a conflict`, (t) => {
    t.is(answer(life), 'already_exists');
  });

test('a deceptive name is refused, though the fold accepts such old names', (t) => {
  t.is(answer([...ACCOUNT, { type: 'RenameAccount', account_id: 'acc_1', name: 'Ac\u202eme' }]), 'name_refused');
  t.is(answer([...TEAM, { type: 'CreateProject', ...PROJECT, name: 'Ac\u202eme' }]), 'name_refused');
});

test('an invisible name is refused, though the fold accepts such old names', (t) => {
  for (const name of ['', ' ', '\u2800', '\u3164', '\u200b', '\u00a0\u2003\u200d\ufe0f\u115f\u{1d159}'])
    t.is(
      answer([...ACCOUNT, { type: 'RenameAccount', account_id: 'acc_1', name }]),
      'name_refused',
      JSON.stringify(name),
    );
  for (const name of ['.', '\u200b1', '👩\u200d👩', 'क्\u200dष', '\u{1fae9}'])
    t.not(answer([...ACCOUNT, { type: 'RenameAccount', account_id: 'acc_1', name }]), 'name_refused', name);
});

test('a rotated key has the lifetime of its predecessor unless another is given', (t) => {
  const rotated = (expires_at: number | null, wish: { expires_at?: number | null }, overlap_ms: number) => {
    const decide = deciding();
    for (const command of TEAM) decide(command);
    decide({ ...ISSUE, ...NEW_KEY, expires_at });
    const decided = decide({ ...ROTATE, ...ROTATED, overlap_ms, ...wish });
    return E.isRight(decided) ? decided.right[0] : undefined;
  };
  t.like(rotated(1_700, {}, 500), { expires_at: 1_700, overlap_until: 1_500 });
  t.like(rotated(null, {}, 0), { expires_at: null, overlap_until: 0 });
  t.like(rotated(1_700, { expires_at: null }, 500), { expires_at: null });
  t.like(rotated(null, { expires_at: 2_000 }, 500), { expires_at: 2_000 });
});

test('a rotated secret is activated, and an endpoint is deleted by its own team', (t) => {
  const events = LIFE.map(([command]) => command).map(inTurn(deciding()));
  const found = events.flatMap((decided) => (E.isRight(decided) ? decided.right : []));
  t.like(
    found.find(({ type }) => type === 'WebhookSecretActivated'),
    { secret: 'v1.c.d' },
  );
  t.like(
    found.find(({ type }) => type === 'WebhookEndpointDeleted'),
    { team_id: 'team_1' },
  );
});
