import type { CatalogueEvent, LimitedResource } from '../../domain/catalogue/events.ts';
import {
  LARGEST_LIMITS,
  MOST_IDENTITIES,
  MOST_INVITATIONS,
  MOST_TEAMS_OF_A_KEY,
} from '../../domain/catalogue/limits.ts';
import { LONGEST_DELIVERY_DAYS, LONGEST_RETENTION_DAYS } from '../../domain/catalogue/retention.ts';
import { subjectOf } from '../../domain/catalogue/subject.ts';
import { MOST_ENDPOINTS_OF_A_TEAM } from '../../domain/webhooks/endpoint.ts';
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

const accountWords = (event: CatalogueEvent): string =>
  account(event) === '?' ? 'the account' : `account ${account(event)}`;

const nameOrWord = (event: CatalogueEvent): string => (account(event) === '?' ? 'ACCOUNT' : account(event));

const invitation = (event: CatalogueEvent): string => field(event, 'invitation_id');

/** An event of a team does not say whose the team is. */
const tooMany =
  (resource: LimitedResource, words: string, instead: string) =>
  (event: CatalogueEvent): string =>
    `${accountWords(event)} has as many ${words} as it may; ${instead}, or raise it with "renderctl account limits set ${nameOrWord(event)} --${resource} NUMBER"`;

const not_a_member = (event: CatalogueEvent): string => {
  // The event of a rotation names neither the user nor a team.
  if (event.type === 'ApiKeyRotated')
    return `key ${key(event)} is of a user who is not a member of each team that it reaches; see it with "renderctl key show ${key(event)}", and issue another with "renderctl key create"`;
  const how =
    event.type === 'ApiKeyIssued'
      ? `see theirs with "renderctl user show ${field(event, 'user_id')}"`
      : `list them with "renderctl member list --team ${field(event, 'team_id')}"`;
  return `${userOf(event)} is not a member of ${teamsOf(event)}; ${how}`;
};

const whoMay = (role: string) => () => `only ${role} may do that; ask one, or do it with renderctl as an operator`;

/** In the order of their kinds, for choosing from. */
const KINDS = EVENT_KINDS.join(', ');

const SENTENCES: Readonly<Record<string, (event: CatalogueEvent) => string>> = {
  already_exists: (event) =>
    `there is another ${subjectOf(event)} already; leave the id out and a fresh one is made, or list what is there`,
  already_so: () => 'it is so already; nothing has changed',
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
  project_erased: (event) => `project ${field(event, 'project_id')} was erased, and nothing of it comes back`,
  user_erased: (event) =>
    event.type === 'ApiKeyRotated'
      ? `the user of key ${key(event)} was erased, and is given nothing any more`
      : `${userOf(event)} was erased, and is given nothing any more`,
  account_erased: (event) => `${accountWords(event)} was erased, and nothing is made in it any more`,
  already_erased: (event) => `${subjectOf(event)} was erased before`,
  already_granted: (event) =>
    `the grant ${field(event, 'grant_id')} was made before, of another number of credits; it counts once, so give this one an id of its own, or none`,
  credits_not_positive: () => 'credits must be a whole number above 0',
  too_many_credits: () => `all grants of an account together are at most ${Number.MAX_SAFE_INTEGER} credits`,
  already_member: (event) =>
    `${userOf(event)} is a member of ${teamsOf(event)} already, in another role; change it with "renderctl member role ${field(event, 'team_id')} ${field(event, 'user_id')} ${field(event, 'role')}"`,
  not_a_member,
  too_many_teams_of_key: () =>
    `a key may reach at most ${MOST_TEAMS_OF_A_KEY} teams; issue one more key for the others`,
  no_teams: () => 'a key must reach at least one team; name it with --team',
  team_of_another_account: (event) =>
    `${teamsOf(event)} does not belong to account ${field(event, 'account_id')}; list them with "renderctl team list --account ${field(event, 'account_id')}"`,
  already_revoked: (event) => `key ${key(event)} was revoked before`,
  already_rotated: (event) =>
    `key ${key(event)} was rotated before; see with "renderctl key show ${key(event)}" which key replaced it, and rotate that one if its secret was lost`,
  key_revoked: (event) => `key ${key(event)} is revoked; issue another with "renderctl key create"`,
  key_expired: (event) => `key ${key(event)} has expired; issue another with "renderctl key create"`,
  secret_in_use: () => 'that secret is of another key; rotate again',
  base_version_outdated: (event) =>
    event.type === 'ProjectVersionAdded'
      ? `project ${event.project_id} is not at version ${event.base_version}; look at its versions with "renderctl project versions ${event.project_id}", then repeat it on top of the latest`
      : 'someone else was first; try again',
  version_unknown: (event) =>
    `project ${field(event, 'project_id')} has no such version; list them with "renderctl project versions ${field(event, 'project_id')}"`,
  already_made: () => 'there is a still of that version already; the first one counts',
  newer_one_made: () => 'there is a still of a newer version already',
  endpoint_unknown: (event) =>
    `there is no webhook endpoint ${endpoint(event)}; list them with "renderctl webhook list"`,
  endpoint_deleted: (event) =>
    `webhook endpoint ${endpoint(event)} was deleted; make another with "renderctl webhook create"`,
  endpoint_of_another_team: (event) =>
    `webhook endpoint ${endpoint(event)} does not belong to ${teamsOf(event)}; see with "renderctl webhook show ${endpoint(event)}" whose it is`,
  too_many_endpoints: (event) =>
    `${teamsOf(event)} has ${MOST_ENDPOINTS_OF_A_TEAM} webhook endpoints, and no team may have more; delete one of "renderctl webhook list --team ${field(event, 'team_id')}"`,
  url_not_https: () => 'the address must begin with https:// and have at most 2,000 characters',
  no_events: () => `an endpoint is subscribed to at least one event: ${KINDS}`,
  event_unknown: (event) => `one of ${eventsOf(event)} is no event; there are ${KINDS}`,
  no_rotation: (event) =>
    `that is not the new secret of webhook endpoint ${endpoint(event)} any more; look with "renderctl webhook show ${endpoint(event)}" whether a rotation is under way`,
  enabled_meanwhile: (event) =>
    `webhook endpoint ${endpoint(event)} was enabled again meanwhile; what was found out before counts no more`,
  operator_needed: whoMay('an operator'),
  owner_needed: whoMay('an owner of the account'),
  admin_needed: whoMay('an admin of the team (of every team, for a key), or an owner of its account,'),
  member_needed: whoMay('a member of the team, or an owner of its account,'),
  own_user_needed: whoMay('the user that it is about'),
  actor_unfit: (event) => `${event.meta.actor} is neither an operator nor a person, and may change nothing`,
  id_unfit: (event) => `the id ${subjectOf(event)} must be 1 to 100 letters, digits, "-" or "_"`,
  not_of_account: (event) =>
    `${userOf(event)} is not of ${accountWords(event)} yet; invite them with "renderctl invitation create"`,
  already_owner: (event) => `${userOf(event)} owns ${accountWords(event)} already`,
  not_an_owner: (event) =>
    `${userOf(event)} does not own ${accountWords(event)}; list who does with "renderctl account owner list ${nameOrWord(event)}"`,
  last_owner: (event) =>
    `${userOf(event)} is the last owner of ${accountWords(event)}, and the last one stays; add another first, with "renderctl account owner add ${nameOrWord(event)} USER"`,
  last_admin: (event) =>
    `${userOf(event)} is the last admin of ${teamsOf(event)}, and the last one stays; make another first, with "renderctl member role ${field(event, 'team_id')} USER admin"`,
  role_unfit: () =>
    'an owner is of the account, and of no team: give --team for an admin or a member, and for them alone',
  invitation_unknown: (event) =>
    `there is no invitation ${invitation(event)}; list them with "renderctl invitation list --account ACCOUNT"`,
  invitation_accepted: (event) =>
    event.type === 'InvitationRevoked'
      ? `invitation ${invitation(event)} was accepted; take back what it gave with "renderctl member remove TEAM USER", or "renderctl account owner remove ACCOUNT USER"`
      : `invitation ${invitation(event)} was accepted, and works once; create another`,
  invitation_revoked: (event) => `invitation ${invitation(event)} was revoked; ask for another`,
  invitation_expired: () => 'the invitation is over; create another, which works for up to 7 days',
  inviter_lost_role: (event) =>
    `whoever made invitation ${invitation(event)} may invite nobody there any more; ask for another`,
  identity_unknown: (event) =>
    `there is no identity ${field(event, 'identity_id')}; list them with "renderctl user identities ${field(event, 'user_id')}"`,
  identity_of_another_user: (event) =>
    `identity ${field(event, 'identity_id')} is linked to another user; unlink it there first`,
  last_identity: (event) =>
    `it is the last identity of ${userOf(event)}, who could never sign in again; link another first, or ask an operator`,
  limit_out_of_range: (event) =>
    event.type === 'AccountLimitSet'
      ? `a limit of ${event.resource} must be from 0 to ${LARGEST_LIMITS[event.resource]}, or "default"`
      : 'a limit is out of range',
  retention_out_of_range: (event) =>
    event.type === 'DeliveryRetentionSet'
      ? `answers to deliveries are kept for 1 to ${LONGEST_DELIVERY_DAYS} days, or by "default"`
      : `${field(event, 'what')} are kept for 1 to ${LONGEST_RETENTION_DAYS} days, or by "default"`,
  too_many_keys: tooMany('keys', 'API keys', 'revoke one (of keys that were rotated, one that still goes on)'),
  too_many_endpoints_of_account: tooMany('endpoints', 'webhook endpoints', 'delete one'),
  too_many_teams: tooMany('teams', 'teams', 'use one that is there'),
  too_many_projects: tooMany('projects', 'projects', 'add a version to one that is there'),
  too_many_members: tooMany('members', 'members', 'remove one'),
  too_many_invitations: (event) =>
    `${accountWords(event)} has ${MOST_INVITATIONS} open invitations, and no account may have more; revoke one of "renderctl invitation list --account ${nameOrWord(event)}"`,
  too_many_identities: (event) =>
    `${userOf(event)} has ${MOST_IDENTITIES} identities, and no user may have more; unlink one of "renderctl user identities ${field(event, 'user_id')}"`,
};

/**
 * Why the fold of the catalogue ignored an event, as a message. Unknown reasons of newer code are shown as they are.
 */
export const refusalText = (event: CatalogueEvent, reason: string): string =>
  SENTENCES[reason]?.(event) ?? `${event.type} was refused: ${reason}`;

/** @param offset of the event in the log, which is ignored because another change came first */
export const ignoredText = (message: string, offset: number): string =>
  `${message} (another change came first; this one stands in the log at offset ${offset}, and counts for nothing)`;

/** What to do while it is unknown whether the event was appended: a repeat must not make anything twice. */
export const howToRepeat = (event: CatalogueEvent): string => {
  switch (event.type) {
    case 'AccountCreated':
    case 'TeamCreated':
    case 'UserRegistered':
    case 'ProjectCreated':
      return `repeat it with "--id ${subjectOf(event)}": what was made already is not made twice`;
    case 'CreditsGranted':
      return `repeat it with "--id ${event.grant_id}": a grant of the same id counts once`;
    case 'ApiKeyIssued':
      return `look with "renderctl key list --account ${event.account_id}" whether ${event.key_id} was issued; if so, revoke it, as its secret was never shown, and repeat this`;
    case 'ApiKeyRotated':
      return `look with "renderctl key show ${event.key_id}" whether ${event.new_key_id} replaced it; if so, rotate that one, as its secret was never shown; else repeat this`;
    case 'ProjectVersionAdded':
      return `look with "renderctl project versions ${event.project_id}" whether version ${event.version} was added; if not, repeat it for that project`;
    case 'WebhookEndpointCreated':
      return `repeat it with "--id ${event.endpoint_id}": what was made already is not made twice, and its secret is replaced with "renderctl webhook rotate-secret ${event.endpoint_id}"`;
    case 'InvitationCreated':
      return `look with "renderctl invitation list --account ${event.account_id}" whether ${event.invitation_id} was made; if so, revoke it, as its token was never shown, and repeat this`;
    case 'WebhookSecretRotated':
      return 'repeat it: the secret that is shown then replaces the one that was not shown';
    default:
      return 'repeat it: what is so already stays so';
  }
};
