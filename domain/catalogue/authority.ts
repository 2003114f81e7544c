import { hasScope } from '../access/scopes.ts';
import { actorKind, keyOfActor, userOfActor } from '../event/meta.ts';
import { accountMemberId, isErased, membershipId } from './entities.ts';
import { isCleanupByEraser } from './erasure.ts';
import type { ApiKeyIssued, CatalogueEventWithTexts, MemberAdded, MemberRemoved } from './events.ts';
import { PEOPLE_ERASURE_RULES_VERSION, SCOPE_RULES_VERSION } from './rules.ts';
import type { CatalogueReason, CatalogueView } from './verdict.ts';

type Person = { readonly user_id: string; readonly view: CatalogueView };

const owns = ({ view, user_id }: Person, account_id: string | null): boolean =>
  account_id !== null && view('account_member', accountMemberId(account_id, user_id))?.owner === true;

const accountOf = ({ view }: Person, team_id: string): string | null => view('team', team_id)?.account_id ?? null;

/** The account comes from the stored team, never from the event. */
const hasRole = (person: Person, team_id: string, roles: readonly string[]): boolean => {
  const membership = person.view('membership', membershipId(team_id, person.user_id));
  if (membership !== null && !membership.removed && roles.includes(membership.role)) return true;
  return owns(person, accountOf(person, team_id));
};

const administers = (person: Person, team_id: string): boolean => hasRole(person, team_id, ['admin']);
const belongsTo = (person: Person, team_id: string): boolean => hasRole(person, team_id, ['admin', 'member']);

const needs = (reason: CatalogueReason, is_given: boolean): CatalogueReason | null => (is_given ? null : reason);

/**
 * Refuses users who do not belong to the account. Otherwise an admin could add any user by id, and the answer would
 * reveal that the user exists.
 */
const ofAccount = (view: CatalogueView, account_id: string | null, user_id: string): CatalogueReason | null => {
  const known = account_id === null ? null : view('account_member', accountMemberId(account_id, user_id));
  return needs('not_of_account', known !== null && (known.owner || known.teams > 0));
};

const addsMember = (person: Person, { team_id, user_id }: MemberAdded): CatalogueReason | null =>
  needs('admin_needed', administers(person, team_id)) ?? ofAccount(person.view, accountOf(person, team_id), user_id);

const removesMember = (person: Person, { team_id, user_id }: MemberRemoved): CatalogueReason | null =>
  needs('admin_needed', user_id === person.user_id || administers(person, team_id));

const mayInvite = (person: Person, account_id: string, team_id: string | null): CatalogueReason | null =>
  team_id === null
    ? needs('owner_needed', owns(person, account_id))
    : needs('admin_needed', accountOf(person, team_id) === account_id && administers(person, team_id));

/** The creator of a key sees its secret, so a person may not create or rotate a key of another user. */
const makesKey = (person: Person, user_id: string | null, team_ids: readonly string[]): CatalogueReason | null =>
  // The teams are checked first: otherwise the answer reveals that a key of a foreign team exists.
  needs('admin_needed', team_ids.length > 0 && team_ids.every((team_id) => administers(person, team_id))) ??
  needs('own_user_needed', user_id === null || user_id === person.user_id);

/** The event's account must be the account of the teams. Otherwise the answer reveals facts about a foreign account. */
const issuesKey = (person: Person, { account_id, user_id, team_ids }: ApiKeyIssued): CatalogueReason | null =>
  makesKey(person, user_id, team_ids) ??
  needs(
    'admin_needed',
    team_ids.every((team_id) => accountOf(person, team_id) === account_id),
  );

const isByPeople = ({ rules }: CatalogueEventWithTexts): boolean => rules >= PEOPLE_ERASURE_RULES_VERSION;

const ofPerson = (person: Person, event: CatalogueEventWithTexts): CatalogueReason | null => {
  const { view, user_id } = person;
  const ofTeam = (team_id: string | undefined) =>
    needs('admin_needed', team_id !== undefined && administers(person, team_id));
  const ofOwnUser = (of: string) => needs('own_user_needed', of === user_id);
  switch (event.type) {
    case 'AccountCreated':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'CreditsGranted':
    case 'AccountLimitSet':
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'ProjectThumbnailMade':
      return 'operator_needed';
    case 'UserErased':
      return isByPeople(event) ? ofOwnUser(event.user_id) : 'operator_needed';
    case 'AccountErased':
      return isByPeople(event) ? needs('owner_needed', owns(person, event.account_id)) : 'operator_needed';
    case 'AccountRenamed':
    case 'DownloadNamingSet':
    case 'TeamCreated':
    case 'AccountOwnerRemoved':
      return needs('owner_needed', owns(person, event.account_id));
    case 'AccountOwnerAdded':
      return needs('owner_needed', owns(person, event.account_id)) ?? ofAccount(view, event.account_id, event.user_id);
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'InvitationAccepted':
    case 'IdentityLinked':
    case 'IdentityUnlinked':
      return ofOwnUser(event.user_id);
    case 'TeamRenamed':
    case 'MemberRoleChanged':
    case 'WebhookEndpointCreated':
      return ofTeam(event.team_id);
    case 'MemberAdded':
      return addsMember(person, event);
    case 'MemberRemoved':
      return removesMember(person, event);
    case 'InvitationCreated':
      return mayInvite(person, event.account_id, event.team_id);
    case 'InvitationRevoked': {
      const invitation = view('invitation', event.invitation_id);
      const may = invitation !== null && mayInvite(person, invitation.account_id, invitation.team_id) === null;
      return needs('admin_needed', may);
    }
    case 'ApiKeyIssued':
      return issuesKey(person, event);
    case 'ApiKeyRotated': {
      const key = view('api_key', event.key_id);
      return key === null ? 'admin_needed' : makesKey(person, key.user_id, key.team_ids);
    }
    case 'ApiKeyRevoked': {
      // A key gives access to all its teams, so an admin of any of these teams may revoke it.
      const key = view('api_key', event.key_id);
      const may = key?.user_id === user_id || key?.team_ids.some((team_id) => administers(person, team_id)) === true;
      return needs('admin_needed', may);
    }
    case 'ProjectCreated':
      return needs('member_needed', belongsTo(person, event.team_id)) ?? ofOwnUser(event.created_by ?? user_id);
    case 'ProjectVersionAdded': {
      const project = view('project', event.project_id);
      return needs('member_needed', project !== null && belongsTo(person, project.team_id));
    }
    case 'ProjectErased':
      return ofTeam(view('project', event.project_id)?.team_id);
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
    case 'WebhookEndpointDeleted':
      return ofTeam(view('webhook_endpoint', event.endpoint_id)?.team_id);
  }
};

/** The team of the project that a key changes, from the stored project; null for all other events. */
const changedTeam = (view: CatalogueView, event: CatalogueEventWithTexts): string | null => {
  switch (event.type) {
    case 'ProjectCreated':
      return event.team_id;
    case 'ProjectVersionAdded':
    case 'ProjectErased':
      return view('project', event.project_id)?.team_id ?? '';
    default:
      return null;
  }
};

/** A key needs the scope and the team. A personal key also needs the role of its user, who may have lost it. */
const ofKey = (
  view: CatalogueView,
  key_id: string,
  event: CatalogueEventWithTexts,
  at: number,
): CatalogueReason | null => {
  const team_id = changedTeam(view, event);
  const key = view('api_key', key_id);
  if (team_id === null || key === null || event.rules < SCOPE_RULES_VERSION) return 'actor_unfit';
  if (key.revoked_at !== null) return 'key_revoked';
  if (key.expires_at !== null && key.expires_at <= at) return 'key_expired';
  if (!hasScope(key, 'projects:write')) return 'scope_needed';
  if (!key.team_ids.includes(team_id)) return 'member_needed';
  const { user_id } = key;
  if (event.type === 'ProjectCreated' && event.created_by !== user_id) return 'own_user_needed';
  if (user_id === null) return null;
  return isErased(view('user', user_id)) ? 'user_erased' : ofPerson({ view, user_id }, event);
};

/**
 * Null if the actor may act (ADR 68). An unknown entity and a foreign entity give the same reason, so that the answer
 * does not reveal which ids exist.
 *
 * @param at append time of the record, ms
 */
export const authorizationRefusal = (
  view: CatalogueView,
  event: CatalogueEventWithTexts,
  at: number,
): CatalogueReason | null => {
  const { actor } = event.meta;
  const key_id = keyOfActor(actor);
  if (key_id !== null) return ofKey(view, key_id, event, at);
  const user_id = userOfActor(actor);
  if (user_id !== null) {
    if (isCleanupByEraser(view, event)) return null;
    return isErased(view('user', user_id)) ? 'user_erased' : ofPerson({ view, user_id }, event);
  }
  return needs('actor_unfit', actorKind(actor) === 'operator');
};

export const canInviterStillInvite = (
  view: CatalogueView,
  { invited_by, account_id, team_id }: { invited_by: string; account_id: string; team_id: string | null },
): boolean => {
  const user_id = userOfActor(invited_by);
  if (user_id === null) return true;
  return !isErased(view('user', user_id)) && mayInvite({ view, user_id }, account_id, team_id) === null;
};
