import test from 'ava';
import { refusalText, retryAdvice } from '../../../cli/catalogue/refusal.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { CatalogueReason } from '../../../domain/catalogue/verdict.ts';

const meta = { event_id: 'e', occurred_at: 1, actor: 'operator:renderctl', causation_id: null, correlation_id: null };

const EVENTS = {
  account: { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_1', name: 'A', unlimited_credits: false },
  grant: { type: 'CreditsGranted', rules: 0, meta, account_id: 'acc_1', grant_id: 'grant_1', credits: 0 },
  team: { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'T' },
  added: { type: 'MemberAdded', rules: 0, meta, team_id: 'team_1', user_id: 'user_1', role: 'admin' },
  removed: { type: 'MemberRemoved', rules: 0, meta, team_id: 'team_1', user_id: 'user_1' },
  issued: {
    type: 'ApiKeyIssued',
    rules: 0,
    meta,
    key_id: 'key_1',
    account_id: 'acc_1',
    user_id: 'user_1',
    team_ids: ['team_1', 'team_2'],
    name: 'K',
    secret_sha256: 'ab',
    prefix: 'vr_abcd',
    last4: 'wxyz',
    expires_at: null,
    scopes: null,
  },
  rotated: {
    type: 'ApiKeyRotated',
    rules: 0,
    meta,
    key_id: 'key_1',
    new_key_id: 'key_2',
    secret_sha256: 'ab',
    prefix: 'vr_abcd',
    last4: 'wxyz',
    expires_at: null,
    overlap_until: 0,
  },
  renamed: { type: 'TeamRenamed', rules: 0, meta, team_id: 'team_1', name: 'T' },
  role: { type: 'MemberRoleChanged', rules: 0, meta, team_id: 'team_1', user_id: 'user_1', role: 'admin' },
  user: { type: 'UserRegistered', rules: 0, meta, user_id: 'user_1', email: null },
  revoked: { type: 'ApiKeyRevoked', rules: 0, meta, key_id: 'key_1' },
  project: {
    type: 'ProjectCreated',
    rules: 0,
    meta,
    project_id: 'proj_1',
    team_id: 'team_1',
    name: 'P',
    created_by: null,
    payload: null,
  },
  version: {
    type: 'ProjectVersionAdded',
    rules: 0,
    meta,
    project_id: 'proj_1',
    version: 3,
    base_version: 2,
    name: 'P',
    document: '{}',
    document_sha256: 'ab',
    payload: null,
  },
  thumbnail: {
    type: 'ProjectThumbnailMade',
    rules: 0,
    meta,
    project_id: 'proj_1',
    version: 3,
    path: 'projects/proj_1/thumbnails/3-01.jpg',
    content_type: 'image/jpeg',
    sha256: 'ab',
    width: 640,
    height: 360,
  },
  endpoint: {
    type: 'WebhookEndpointCreated',
    rules: 0,
    meta,
    endpoint_id: 'whe_1',
    team_id: 'team_1',
    url: 'https://a.example',
    events: ['render.moved'],
    secret: 'v1.a.b',
  },
  rotation: { type: 'WebhookSecretRotated', rules: 0, meta, endpoint_id: 'whe_1', secret: 'v1.a.b' },
  activated: { type: 'WebhookSecretActivated', rules: 0, meta, endpoint_id: 'whe_1', secret: 'v1.a.b' },
  disabled: { type: 'WebhookEndpointDisabled', rules: 0, meta, endpoint_id: 'whe_1', reason: 'gone', enabled_since: 1 },
  owner: { type: 'AccountOwnerAdded', rules: 1, meta, account_id: 'acc_1', user_id: 'user_1' },
  owner_removed: { type: 'AccountOwnerRemoved', rules: 1, meta, account_id: 'acc_1', user_id: 'user_1' },
  invited: {
    type: 'InvitationCreated',
    rules: 1,
    meta,
    invitation_id: 'inv_1',
    account_id: 'acc_1',
    team_id: 'team_1',
    role: 'admin',
    token_sha256: 'ab',
    expires_at: 1,
  },
  accepted: { type: 'InvitationAccepted', rules: 1, meta, invitation_id: 'inv_1', user_id: 'user_1' },
  withdrawn: { type: 'InvitationRevoked', rules: 1, meta, invitation_id: 'inv_1' },
  linked: { type: 'IdentityLinked', rules: 1, meta, identity_id: 'e0', user_id: 'user_1' },
  unlinked: { type: 'IdentityUnlinked', rules: 1, meta, identity_id: 'e0', user_id: 'user_1' },
  limited: { type: 'AccountLimitSet', rules: 1, meta, account_id: 'acc_1', resource: 'keys', most: -1 },
  erased: { type: 'ProjectErased', rules: 1, meta, project_id: 'proj_1' },
  kept: { type: 'AccountRetentionSet', rules: 1, meta, account_id: 'acc_1', what: 'outputs', days: 0 },
  deleted: { type: 'WebhookEndpointDeleted', rules: 0, meta, endpoint_id: 'whe_1', team_id: 'team_1' },
} as const satisfies Record<string, Readonly<Record<string, unknown>>>;

const event = (name: keyof typeof EVENTS): CatalogueEvent => {
  const found = EVENTS[name];
  if (found.type === 'ApiKeyIssued') return { ...found, team_ids: [...found.team_ids] };
  return found.type === 'WebhookEndpointCreated' ? { ...found, events: [...found.events] } : found;
};

const SENTENCES: Readonly<Record<CatalogueReason, readonly [keyof typeof EVENTS, RegExp]>> = {
  already_exists: ['account', /acc_1 already exists; omit the id/],
  account_unknown: ['team', /there is no account acc_1; list them with "renderctl account list"/],
  team_unknown: ['project', /there is no team team_1; list them with "renderctl team list"/],
  user_unknown: ['added', /there is no user user_1; list them with "renderctl user list"/],
  key_unknown: ['revoked', /there is no key key_1; list them with "renderctl key list"/],
  project_unknown: ['version', /there is no project proj_1; list them with "renderctl project list"/],
  project_erased: ['version', /project proj_1 was erased and cannot be restored/],
  user_erased: ['added', /user user_1 was erased and cannot be changed/],
  account_erased: ['team', /account acc_1 was erased and cannot be changed/],
  already_erased: ['erased', /proj_1 is already erased/],
  already_granted: ['grant', /grant grant_1 already exists with a different number of credits; use another --id/],
  credits_not_positive: ['grant', /credits must be a whole number above 0/],
  too_many_credits: ['grant', /the grants of an account must be at most 9007199254740991 credits in total/],
  already_so: ['renamed', /nothing changed: this is already the current state/],
  already_member: [
    'added',
    /user user_1 is already a member of team team_1 with another role; .*"renderctl member role team_1 user_1 admin"/,
  ],
  not_a_member: ['removed', /user user_1 is not a member of team team_1; .*member list --team team_1/],
  no_teams: ['issued', /a key needs access to at least one team/],
  team_of_another_account: ['issued', /one of the teams team_1, team_2 does not belong to account acc_1/],
  already_revoked: ['revoked', /key key_1 is already revoked/],
  already_rotated: ['rotated', /key key_1 is already rotated; "renderctl key show key_1"/],
  key_revoked: ['rotated', /key key_1 is revoked; create another with "renderctl key create"/],
  key_expired: ['rotated', /key key_1 has expired; create another with "renderctl key create"/],
  secret_in_use: ['rotated', /rotate the key again/],
  base_version_outdated: ['version', /proj_1 is not at version 2; .*project versions proj_1/],
  version_unknown: ['thumbnail', /project proj_1 does not have this version; .*"renderctl project versions proj_1"/],
  already_made: ['thumbnail', /this version already has a thumbnail; the first one is kept/],
  newer_one_made: ['thumbnail', /a newer version already has a thumbnail/],
  endpoint_unknown: ['rotation', /there is no webhook endpoint whe_1; list them with "renderctl webhook list"/],
  endpoint_deleted: ['rotation', /whe_1 was deleted; create another with "renderctl webhook create"/],
  endpoint_of_another_team: ['deleted', /whe_1 does not belong to team team_1; .*"renderctl webhook show whe_1"/],
  too_many_endpoints: [
    'endpoint',
    /team team_1 already has 20 webhook endpoints.*"renderctl webhook list --team team_1"/,
  ],
  url_not_https: ['endpoint', /must begin with https:\/\/ and have at most 2,000 characters/],
  no_events: ['endpoint', /at least one event: render\.status_changed, render\.complete, render\.failed/],
  event_unknown: ['endpoint', /unknown event in render\.moved; the events are render\.status_changed/],
  no_rotation: [
    'activated',
    /webhook endpoint whe_1 has no rotation with this secret in progress; .*"renderctl webhook show whe_1"/,
  ],
  enabled_meanwhile: ['disabled', /webhook endpoint whe_1 was enabled again in the meantime/],
  operator_needed: ['account', /^only an operator may do this; ask one/],
  owner_needed: ['team', /^only an owner of the account may do this; ask one/],
  admin_needed: ['issued', /^only an admin of each of the key's teams, or an owner of their account, may do this/],
  member_needed: ['project', /^only a member of the team, or an owner of its account, may do this/],
  own_user_needed: ['linked', /^only the user may do this; ask them/],
  scope_needed: ['team', /^operator:renderctl lacks the scope projects:write; create a key with "renderctl key create/],
  actor_unfit: ['team', /^operator:renderctl is neither an operator nor a user and cannot make changes/],
  too_many_teams_of_key: [
    'issued',
    /^a key can have access to at most 200 teams; create another key for the other teams$/,
  ],
  id_unfit: ['account', /^the id acc_1 must be 1 to 100 letters, digits, "-" or "_"$/],
  not_of_account: [
    'added',
    /user user_1 does not belong to the account; invite them with "renderctl invitation create"/,
  ],
  already_owner: ['owner', /user user_1 already owns account acc_1/],
  not_an_owner: ['owner_removed', /user user_1 does not own account acc_1; .*"renderctl account owner list acc_1"/],
  last_owner: ['owner_removed', /the last owner of account acc_1; .*"renderctl account owner add acc_1 USER"/],
  last_admin: ['removed', /the last admin of team team_1; .*"renderctl member role team_1 USER admin"/],
  role_unfit: ['invited', /an owner belongs to the account, not to a team: use --team only for an admin or a member/],
  invitation_unknown: ['accepted', /no invitation inv_1; .*"renderctl invitation list --account ACCOUNT"/],
  invitation_accepted: ['accepted', /invitation inv_1 was already accepted and works only once; create another/],
  invitation_revoked: ['accepted', /invitation inv_1 was revoked; ask for another/],
  invitation_expired: ['accepted', /the invitation has expired; create another, which works for up to 7 days/],
  inviter_lost_role: ['accepted', /the user who created invitation inv_1 may no longer invite people/],
  identity_unknown: ['unlinked', /there is no identity e0; list them with "renderctl user identities user_1"/],
  identity_of_another_user: ['linked', /identity e0 is linked to another user; unlink it there first/],
  last_identity: ['unlinked', /the last identity of user user_1, who could not sign in without it/],
  limit_out_of_range: ['limited', /the limit of keys must be from 0 to 5000, or "default"/],
  retention_out_of_range: ['kept', /the retention of outputs must be 1 to 36500 days, or "default"/],
  too_many_keys: [
    'issued',
    /account acc_1 has reached its limit of API keys; .*"renderctl account limits set acc_1 --keys NUMBER"/,
  ],
  too_many_endpoints_of_account: [
    'endpoint',
    /the account has reached its limit of webhook endpoints; .* ACCOUNT --endpoints/,
  ],
  too_many_teams: ['team', /account acc_1 has reached its limit of teams; .*limits set acc_1 --teams NUMBER/],
  too_many_inline_projects: [
    'project',
    /^the account has reached its limit of inline projects; erase some, or raise the limit with .* --inline_projects NUMBER/,
  ],
  too_many_projects: [
    'project',
    /the account has reached its limit of projects; .*limits set ACCOUNT --projects NUMBER/,
  ],
  too_many_members: ['added', /the account has reached its limit of members; .*limits set ACCOUNT --members NUMBER/],
  too_many_invitations: [
    'invited',
    /acc_1 already has 200 open invitations.*"renderctl invitation list --account acc_1"/,
  ],
  too_many_identities: ['linked', /user user_1 already has 10 identities.*"renderctl user identities user_1"/],
};

for (const [reason, [name, sentence]] of Object.entries(SENTENCES))
  test(`${reason} has a sentence that names its subject`, (t) => {
    t.regex(refusalText(event(name), reason), sentence);
  });

test("the refusal of a non-member's personal key names the user or the rotated key", (t) => {
  t.regex(
    refusalText(event('issued'), 'not_a_member'),
    /user user_1 is not a member of one of the teams team_1, team_2; .*"renderctl user show user_1"/,
  );
  t.regex(
    refusalText(event('rotated'), 'not_a_member'),
    /key key_1 belongs to a user who is not a member of all of its teams; .*"renderctl key show key_1"/,
  );
});

test('a refused admin change names the admins who may make it', (t) => {
  t.regex(
    refusalText(event('revoked'), 'admin_needed'),
    /^only an admin of one of the key's teams, an owner of their account, or the key's user, may do/,
  );
  t.regex(refusalText(event('added'), 'admin_needed'), /^only an admin of the team, or an owner of its account, may/);
});

test('revoking an accepted invitation says how to remove the member', (t) => {
  t.regex(
    refusalText(event('withdrawn'), 'invitation_accepted'),
    /inv_1 was already accepted; .*"renderctl member remove TEAM USER", or "renderctl account owner remove ACCOUNT USER"/,
  );
});

test("a refusal names the missing one of a key's teams", (t) => {
  t.regex(refusalText(event('issued'), 'team_unknown'), /one of the teams team_1, team_2 does not exist/);
});

test('a reason from newer code is shown as it is', (t) => {
  t.is(refusalText(event('team'), 'moon_in_wrong_phase'), 'TeamCreated was refused: moon_in_wrong_phase');
});

const REPEATS: readonly [keyof typeof EVENTS, RegExp][] = [
  ['account', /repeat the command with "--id acc_1", which creates no duplicate/],
  ['team', /repeat the command with "--id team_1"/],
  ['user', /repeat the command with "--id user_1"/],
  ['project', /repeat the command with "--id proj_1"/],
  ['grant', /repeat the command with "--id grant_1"; the credits are granted only once/],
  ['issued', /key list --account acc_1" whether key_1 was issued; if so, revoke it/],
  ['rotated', /key show key_1" whether key_2 replaced it; if so, rotate that key/],
  ['version', /project versions proj_1" whether version 3 was added/],
  ['endpoint', /repeat the command with "--id whe_1", .*"renderctl webhook rotate-secret whe_1"/],
  ['rotation', /repeat the command: it shows a new secret/],
  ['invited', /invitation list --account acc_1" whether inv_1 was created; if so, revoke it/],
  ['deleted', /you can repeat the command safely/],
  ['role', /you can repeat the command safely/],
];

for (const [name, told] of REPEATS)
  test(`when the log may have taken ${EVENTS[name].type}, the message says how to continue`, (t) => {
    t.regex(retryAdvice(event(name)), told);
  });
