import type { CatalogueEvent, LimitedResource } from '../../domain/catalogue/events.ts';
import { MAX_IDENTITIES, MAX_INVITATIONS, MAX_LIMITS, MAX_TEAMS_OF_A_KEY } from '../../domain/catalogue/limits.ts';
import { MAX_DELIVERY_RETENTION_DAYS, MAX_RETENTION_DAYS } from '../../domain/catalogue/retention.ts';
import { subjectOf } from '../../domain/catalogue/subject.ts';
import { MAX_ENDPOINTS_OF_A_TEAM } from '../../domain/webhooks/endpoint.ts';
import { EVENT_KINDS } from '../../domain/webhooks/event-kinds.ts';

const field = (event: CatalogueEvent, name: string): string => {
  const value = Object.entries(event).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '?';
};

const teamsOf = (event: CatalogueEvent): string =>
  event.type === 'ApiKeyIssued'
    ? event.team_ids.length === 1
      ? `team ${event.team_ids[0]}`
      : `one of the teams ${event.team_ids.join(', ')}`
    : `team ${field(event, 'team_id')}`;

const userOf = (event: CatalogueEvent): string => `user ${field(event, 'user_id')}`;

const key = (event: CatalogueEvent): string => field(event, 'key_id');

const endpoint = (event: CatalogueEvent): string => field(event, 'endpoint_id');

const eventsOf = (event: CatalogueEvent): string => ('events' in event ? event.events.join(', ') : '?');

const account = (event: CatalogueEvent): string => field(event, 'account_id');

/** Events of teams do not have the account's id, so the text says "the account". */
const accountWords = (event: CatalogueEvent): string =>
  account(event) === '?' ? 'the account' : `account ${account(event)}`;

const nameOrWord = (event: CatalogueEvent): string => (account(event) === '?' ? 'ACCOUNT' : account(event));

const invitation = (event: CatalogueEvent): string => field(event, 'invitation_id');

const tooMany =
  (resource: LimitedResource, words: string, instead: string) =>
  (event: CatalogueEvent): string =>
    `${accountWords(event)} has reached its limit of ${words}; ${instead}, or raise the limit with "renderctl account limits set ${nameOrWord(event)} --${resource} NUMBER"`;

const not_a_member = (event: CatalogueEvent): string => {
  // ApiKeyRotated has neither the user's id nor team ids.
  if (event.type === 'ApiKeyRotated')
    return `key ${key(event)} belongs to a user who is not a member of all of its teams; show it with "renderctl key show ${key(event)}", and create another with "renderctl key create"`;
  const how =
    event.type === 'ApiKeyIssued'
      ? `list the user's teams with "renderctl user show ${field(event, 'user_id')}"`
      : `list them with "renderctl member list --team ${field(event, 'team_id')}"`;
  return `${userOf(event)} is not a member of ${teamsOf(event)}; ${how}`;
};

const whoMay = (role: string) => () => `only ${role} may do this; ask one of them, or use renderctl as an operator`;

const adminsFor = ({ type }: CatalogueEvent): string => {
  switch (type) {
    case 'ApiKeyIssued':
    case 'ApiKeyRotated':
      return "an admin of each of the key's teams, or an owner of their account,";
    case 'ApiKeyRevoked':
      return "an admin of one of the key's teams, an owner of their account, or the key's user,";
    default:
      return 'an admin of the team, or an owner of its account,';
  }
};

const KINDS = EVENT_KINDS.join(', ');

const SENTENCES: Readonly<Record<string, (event: CatalogueEvent) => string>> = {
  already_exists: (event) => `${subjectOf(event)} already exists; omit the id to get a new one`,
  already_so: () => 'nothing changed: this is already the current state',
  account_unknown: (event) =>
    `there is no account ${field(event, 'account_id')}; list them with "renderctl account list"`,
  team_unknown: (event) =>
    event.type === 'ApiKeyIssued' && event.team_ids.length > 1
      ? `${teamsOf(event)} does not exist; list them with "renderctl team list"`
      : `there is no ${teamsOf(event)}; list them with "renderctl team list"`,
  user_unknown: (event) => `there is no ${userOf(event)}; list them with "renderctl user list"`,
  key_unknown: (event) => `there is no key ${key(event)}; list them with "renderctl key list"`,
  project_unknown: (event) =>
    `there is no project ${field(event, 'project_id')}; list them with "renderctl project list"`,
  project_erased: (event) => `project ${field(event, 'project_id')} was erased and cannot be restored`,
  user_erased: (event) =>
    event.type === 'ApiKeyRotated'
      ? `key ${key(event)} cannot be rotated: its user was erased`
      : `${userOf(event)} was erased and cannot be changed`,
  account_erased: (event) => `${accountWords(event)} was erased and cannot be changed`,
  already_erased: (event) => `${subjectOf(event)} is already erased`,
  already_granted: (event) =>
    `grant ${field(event, 'grant_id')} already exists with a different number of credits; use another --id, or omit it`,
  credits_not_positive: () => 'credits must be a whole number above 0',
  too_many_credits: () => `the grants of an account must be at most ${Number.MAX_SAFE_INTEGER} credits in total`,
  already_member: (event) =>
    `${userOf(event)} is already a member of ${teamsOf(event)} with another role; change it with "renderctl member role ${field(event, 'team_id')} ${field(event, 'user_id')} ${field(event, 'role')}"`,
  not_a_member,
  too_many_teams_of_key: () =>
    `a key can have access to at most ${MAX_TEAMS_OF_A_KEY} teams; create another key for the other teams`,
  no_teams: () => 'a key needs access to at least one team; add one with --team',
  team_of_another_account: (event) =>
    `${teamsOf(event)} does not belong to account ${field(event, 'account_id')}; list them with "renderctl team list --account ${field(event, 'account_id')}"`,
  already_revoked: (event) => `key ${key(event)} is already revoked`,
  already_rotated: (event) =>
    `key ${key(event)} is already rotated; "renderctl key show ${key(event)}" shows the key that replaced it; if you lost its secret, rotate that key`,
  key_revoked: (event) => `key ${key(event)} is revoked; create another with "renderctl key create"`,
  key_expired: (event) => `key ${key(event)} has expired; create another with "renderctl key create"`,
  secret_in_use: () => 'another key already uses this secret; rotate the key again',
  base_version_outdated: (event) =>
    event.type === 'ProjectVersionAdded'
      ? `project ${event.project_id} is not at version ${event.base_version}; list its versions with "renderctl project versions ${event.project_id}", then repeat the command on the latest version`
      : 'another change came first; try again',
  version_unknown: (event) =>
    `project ${field(event, 'project_id')} does not have this version; list its versions with "renderctl project versions ${field(event, 'project_id')}"`,
  already_made: () => 'this version already has a thumbnail; the first one is kept',
  newer_one_made: () => 'a newer version already has a thumbnail',
  endpoint_unknown: (event) =>
    `there is no webhook endpoint ${endpoint(event)}; list them with "renderctl webhook list"`,
  endpoint_deleted: (event) =>
    `webhook endpoint ${endpoint(event)} was deleted; create another with "renderctl webhook create"`,
  endpoint_of_another_team: (event) =>
    `webhook endpoint ${endpoint(event)} does not belong to ${teamsOf(event)}; "renderctl webhook show ${endpoint(event)}" shows its team`,
  too_many_endpoints: (event) =>
    `${teamsOf(event)} already has ${MAX_ENDPOINTS_OF_A_TEAM} webhook endpoints, the maximum; delete one first: "renderctl webhook list --team ${field(event, 'team_id')}"`,
  url_not_https: () => 'the URL must begin with https:// and have at most 2,000 characters',
  no_events: () => `an endpoint needs at least one event: ${KINDS}`,
  event_unknown: (event) => `unknown event in ${eventsOf(event)}; the events are ${KINDS}`,
  no_rotation: (event) =>
    `webhook endpoint ${endpoint(event)} has no rotation with this secret in progress; see "renderctl webhook show ${endpoint(event)}"`,
  enabled_meanwhile: (event) =>
    `webhook endpoint ${endpoint(event)} was enabled again in the meantime, so it was not disabled`,
  operator_needed: whoMay('an operator'),
  owner_needed: whoMay('an owner of the account'),
  admin_needed: (event) => whoMay(adminsFor(event))(),
  member_needed: whoMay('a member of the team, or an owner of its account,'),
  own_user_needed: () => 'only the user may do this; ask them, or use renderctl as an operator',
  scope_needed: (event) =>
    `${event.meta.actor} lacks the scope projects:write; create a key with "renderctl key create --scope projects:write"`,
  actor_unfit: (event) => `${event.meta.actor} is neither an operator nor a user and cannot make changes`,
  id_unfit: (event) => `the id ${subjectOf(event)} must be 1 to 100 letters, digits, "-" or "_"`,
  not_of_account: (event) =>
    `${userOf(event)} does not belong to ${accountWords(event)}; invite them with "renderctl invitation create"`,
  already_owner: (event) => `${userOf(event)} already owns ${accountWords(event)}`,
  not_an_owner: (event) =>
    `${userOf(event)} does not own ${accountWords(event)}; list its owners with "renderctl account owner list ${nameOrWord(event)}"`,
  last_owner: (event) =>
    `${userOf(event)} is the last owner of ${accountWords(event)}; add another owner first with "renderctl account owner add ${nameOrWord(event)} USER"`,
  last_admin: (event) =>
    `${userOf(event)} is the last admin of ${teamsOf(event)}; make another user an admin first with "renderctl member role ${field(event, 'team_id')} USER admin"`,
  role_unfit: () => 'an owner belongs to the account, not to a team: use --team only for an admin or a member',
  invitation_unknown: (event) =>
    `there is no invitation ${invitation(event)}; list them with "renderctl invitation list --account ACCOUNT"`,
  invitation_accepted: (event) =>
    event.type === 'InvitationRevoked'
      ? `invitation ${invitation(event)} was already accepted; remove the role with "renderctl member remove TEAM USER", or "renderctl account owner remove ACCOUNT USER"`
      : `invitation ${invitation(event)} was already accepted and works only once; create another`,
  invitation_revoked: (event) => `invitation ${invitation(event)} was revoked; ask for another invitation`,
  invitation_expired: () => 'the invitation has expired; create another, which works for up to 7 days',
  inviter_lost_role: (event) =>
    `the user who created invitation ${invitation(event)} may no longer invite people; ask for another invitation`,
  identity_unknown: (event) =>
    `there is no identity ${field(event, 'identity_id')}; list them with "renderctl user identities ${field(event, 'user_id')}"`,
  identity_of_another_user: (event) =>
    `identity ${field(event, 'identity_id')} is linked to another user; unlink it there first`,
  last_identity: (event) =>
    `this is the last identity of ${userOf(event)}, who could not sign in without it; link another identity first`,
  limit_out_of_range: (event) =>
    event.type === 'AccountLimitSet'
      ? `the limit of ${event.resource} must be from 0 to ${MAX_LIMITS[event.resource]}, or "default"`
      : 'a limit is out of range',
  retention_out_of_range: (event) =>
    event.type === 'DeliveryRetentionSet'
      ? `the retention of deliveries must be 1 to ${MAX_DELIVERY_RETENTION_DAYS} days, or "default"`
      : `the retention of ${field(event, 'what')} must be 1 to ${MAX_RETENTION_DAYS} days, or "default"`,
  too_many_keys: tooMany('keys', 'API keys', 'revoke one (for example a rotated key that still works)'),
  too_many_endpoints_of_account: tooMany('endpoints', 'webhook endpoints', 'delete one'),
  too_many_teams: tooMany('teams', 'teams', 'use an existing one'),
  too_many_projects: tooMany('projects', 'projects', 'add a version to an existing one'),
  too_many_inline_projects: tooMany('inline_projects', 'inline projects', 'erase some'),
  too_many_members: tooMany('members', 'members', 'remove one'),
  too_many_invitations: (event) =>
    `${accountWords(event)} already has ${MAX_INVITATIONS} open invitations, the maximum; revoke one first: "renderctl invitation list --account ${nameOrWord(event)}"`,
  too_many_identities: (event) =>
    `${userOf(event)} already has ${MAX_IDENTITIES} identities, the maximum; unlink one first: "renderctl user identities ${field(event, 'user_id')}"`,
};

/** The message for an event that the fold ignored. A reason of a newer version is shown unchanged. */
export const refusalText = (event: CatalogueEvent, reason: string): string =>
  SENTENCES[reason]?.(event) ?? `${event.type} was refused: ${reason}`;

export const ignoredText = (message: string, offset: number): string =>
  `${message} (another change came first, so the record at offset ${offset} of the log had no effect)`;

/** Advice if it is unknown whether the log has the event. The repeated command must not create a second entity. */
export const retryAdvice = (event: CatalogueEvent): string => {
  switch (event.type) {
    case 'AccountCreated':
    case 'TeamCreated':
    case 'UserRegistered':
    case 'ProjectCreated':
      return `repeat the command with "--id ${subjectOf(event)}", which creates no duplicate`;
    case 'CreditsGranted':
      return `repeat the command with "--id ${event.grant_id}"; the credits are granted only once`;
    case 'ApiKeyIssued':
      return `check with "renderctl key list --account ${event.account_id}" whether ${event.key_id} was issued; if so, revoke it, because its secret was never shown, and repeat the command`;
    case 'ApiKeyRotated':
      return `check with "renderctl key show ${event.key_id}" whether ${event.new_key_id} replaced it; if so, rotate that key, because its secret was never shown; otherwise repeat the command`;
    case 'ProjectVersionAdded':
      return `check with "renderctl project versions ${event.project_id}" whether version ${event.version} was added; if not, repeat the command for that project`;
    case 'WebhookEndpointCreated':
      return `repeat the command with "--id ${event.endpoint_id}", which creates no duplicate; then replace its secret with "renderctl webhook rotate-secret ${event.endpoint_id}"`;
    case 'InvitationCreated':
      return `check with "renderctl invitation list --account ${event.account_id}" whether ${event.invitation_id} was created; if so, revoke it, because its token was never shown, and repeat the command`;
    case 'WebhookSecretRotated':
      return 'repeat the command: it shows a new secret, which replaces the one that was not shown';
    default:
      return 'you can repeat the command safely';
  }
};
