import { userOfActor } from '../event/meta.ts';
import { authorizationRefusal } from './authority.ts';
import { accountMemberId, creditGrantId, type EntityKind, type EntityRef, isErased, membershipId } from './entities.ts';
import { erasedTargetReason, removesErasedMember } from './erasure.ts';
import type { CatalogueEventWithTexts, IdentityUnlinked } from './events.ts';
import { accountCreated, accountErased, accountRenamed, creditLimitSet, creditsGranted } from './evolve-account.ts';
import { evolveEndpointChanged, evolveEndpointCreated, evolveEndpointDeleted } from './evolve-endpoint.ts';
import { keyIssued, keyRevoked, keyRotated } from './evolve-key.ts';
import {
  evolveDeliveryRetentionSet,
  evolveDownloadNamingSet,
  evolveIdentityLinked,
  evolveIdentityUnlinked,
  evolveInvitationAccepted,
  evolveInvitationCreated,
  evolveInvitationRevoked,
  evolveLimitSet,
  evolveOwnerAdded,
  evolveOwnerRemoved,
  evolveRetentionSet,
} from './evolve-people.ts';
import { projectCreated, projectErased, thumbnailMade, versionAdded } from './evolve-project.ts';
import { memberAdded, memberRemoved, roleChanged, teamCreated, teamRenamed } from './evolve-team.ts';
import { emailChanged, userErased, userRegistered } from './evolve-user.ts';
import { hasInvalidId, isAuthorizationChecked } from './rules.ts';
import { addCountChanges } from './tally.ts';
import { type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

const ref = (kind: EntityKind, id: string): EntityRef => ({ kind, id });

/**
 * The entities that an event names. They are loaded before the fold. The fold may need more entities, which
 * `recordingView` reports.
 */
export const entitiesOf = (event: CatalogueEventWithTexts): readonly EntityRef[] => {
  switch (event.type) {
    case 'AccountCreated':
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'AccountErased':
      return [ref('account', event.account_id)];
    case 'CreditsGranted': {
      const { account_id, grant_id } = event;
      return [ref('account', account_id), ref('credit_grant', creditGrantId(account_id, grant_id))];
    }
    case 'TeamCreated':
      return [ref('team', event.team_id), ref('account', event.account_id)];
    case 'TeamRenamed':
      return [ref('team', event.team_id)];
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'UserErased':
      return [ref('user', event.user_id)];
    case 'MemberAdded':
    case 'MemberRoleChanged':
    case 'MemberRemoved': {
      const { team_id, user_id } = event;
      return [ref('team', team_id), ref('user', user_id), ref('membership', membershipId(team_id, user_id))];
    }
    case 'ApiKeyIssued': {
      const teams = event.team_ids.map((id) => ref('team', id));
      const users = event.user_id === null ? [] : [ref('user', event.user_id)];
      return [ref('api_key', event.key_id), ref('account', event.account_id), ...users, ...teams];
    }
    case 'ApiKeyRotated':
      return [ref('api_key', event.key_id), ref('api_key', event.new_key_id)];
    case 'ApiKeyRevoked':
      return [ref('api_key', event.key_id)];
    case 'ProjectCreated':
      return [ref('project', event.project_id), ref('team', event.team_id)];
    case 'ProjectVersionAdded':
    case 'ProjectErased':
      return [ref('project', event.project_id)];
    case 'ProjectThumbnailMade':
      return [ref('project', event.project_id), ref('project_thumbnail', event.project_id)];
    case 'WebhookEndpointCreated': {
      const { endpoint_id, team_id } = event;
      return [ref('webhook_endpoint', endpoint_id), ref('team', team_id), ref('team_webhooks', team_id)];
    }
    case 'WebhookEndpointDeleted':
      return [ref('webhook_endpoint', event.endpoint_id), ref('team_webhooks', event.team_id)];
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
      return [ref('webhook_endpoint', event.endpoint_id)];
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved': {
      const { account_id, user_id } = event;
      const member = ref('account_member', accountMemberId(account_id, user_id));
      return [ref('account', account_id), ref('user', user_id), member];
    }
    case 'InvitationCreated': {
      const teams = event.team_id === null ? [] : [ref('team', event.team_id)];
      return [ref('invitation', event.invitation_id), ref('account', event.account_id), ...teams];
    }
    case 'InvitationRevoked':
      return [ref('invitation', event.invitation_id)];
    case 'InvitationAccepted':
      return [ref('invitation', event.invitation_id), ref('user', event.user_id)];
    case 'IdentityLinked':
    case 'IdentityUnlinked': {
      const { identity_id, user_id } = event;
      return [ref('identity', identity_id), ref('user', user_id), ref('user_identities', user_id)];
    }
    case 'AccountLimitSet':
      return [ref('account', event.account_id), ref('account_limits', event.account_id)];
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
      return [ref('account', event.account_id), ref('account_retention', event.account_id)];
  }
};

/**
 * True if users unlink their own identity. False if the user is erased, because the service then unlinks the
 * identities.
 */
const isByItsUser = (view: CatalogueView, { user_id, meta }: IdentityUnlinked): boolean =>
  userOfActor(meta.actor) === user_id && !isErased(view('user', user_id));

/** @param is_bound whether rules 1 apply to the event */
const changedBy = (
  view: CatalogueView,
  event: CatalogueEventWithTexts,
  at: number,
  is_bound: boolean,
): CatalogueVerdict => {
  switch (event.type) {
    case 'AccountCreated':
      return accountCreated(view, event, at);
    case 'AccountRenamed':
      return accountRenamed(view, event);
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
      return creditLimitSet(view, event);
    case 'CreditsGranted':
      return creditsGranted(view, event, at);
    case 'TeamCreated':
      return teamCreated(view, event, at);
    case 'TeamRenamed':
      return teamRenamed(view, event);
    case 'UserRegistered':
      return userRegistered(view, event, at);
    case 'UserEmailChanged':
      return emailChanged(view, event);
    case 'MemberAdded':
      return memberAdded(view, event, at);
    case 'MemberRoleChanged':
      return roleChanged(view, event);
    case 'MemberRemoved':
      return memberRemoved(view, event, at);
    case 'ApiKeyIssued':
      return keyIssued(view, event, at, is_bound);
    case 'ApiKeyRotated':
      return keyRotated(view, event, at, is_bound);
    case 'ApiKeyRevoked':
      return keyRevoked(view, event, at);
    case 'ProjectCreated':
      return projectCreated(view, event, at);
    case 'ProjectVersionAdded':
      return versionAdded(view, event, at);
    case 'ProjectThumbnailMade':
      return thumbnailMade(view, event, at);
    case 'ProjectErased':
      return projectErased(view, event, at);
    case 'WebhookEndpointCreated':
      return evolveEndpointCreated(view, event, at);
    case 'WebhookEndpointDeleted':
      return evolveEndpointDeleted(view, event, at);
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
      return evolveEndpointChanged(view('webhook_endpoint', event.endpoint_id), event, at);
    case 'AccountOwnerAdded':
      return evolveOwnerAdded(view, event, at);
    case 'AccountOwnerRemoved':
      return evolveOwnerRemoved(view, event);
    case 'InvitationCreated':
      return evolveInvitationCreated(view, event, at);
    case 'InvitationRevoked':
      return evolveInvitationRevoked(view, event, at);
    case 'InvitationAccepted':
      return evolveInvitationAccepted(view, event, at);
    case 'IdentityLinked':
      return evolveIdentityLinked(view, event, at);
    case 'IdentityUnlinked':
      return evolveIdentityUnlinked(view, event, at, isByItsUser(view, event));
    case 'AccountLimitSet':
      return evolveLimitSet(view, event);
    case 'AccountRetentionSet':
      return evolveRetentionSet(view, event, at);
    case 'DeliveryRetentionSet':
      return evolveDeliveryRetentionSet(view, event, at);
    case 'DownloadNamingSet':
      return evolveDownloadNamingSet(view, event);
    case 'UserErased':
      return userErased(view, event, at);
    case 'AccountErased':
      return accountErased(view, event, at);
  }
};

/**
 * The fold of `catalogue-events`. It is pure and total, so every reader ignores the same illegal events. Rules 1
 * (ADR 68) first check the actor's role, and last the counts after the event.
 *
 * @param view the entities before the event
 * @param at append time of the record, ms
 */
export const evolveCatalogue = (view: CatalogueView, event: CatalogueEventWithTexts, at: number): CatalogueVerdict => {
  const is_bound = isAuthorizationChecked(event);
  const lacking = is_bound ? authorizationRefusal(view, event, at) : null;
  if (lacking !== null) return ignoredVerdict(lacking);
  if (is_bound && hasInvalidId(event)) return ignoredVerdict('id_unfit');
  const too_late = erasedTargetReason(view, event);
  if (too_late !== null) return ignoredVerdict(too_late);
  const verdict = changedBy(view, event, at, is_bound);
  if (verdict.tag === 'ignored') return verdict;
  // These checks are skipped if an erased user is removed. The user may be the last admin or owner, and a removal only
  // lowers counts.
  return addCountChanges(view, verdict.changes, at, is_bound && !removesErasedMember(view, event));
};
