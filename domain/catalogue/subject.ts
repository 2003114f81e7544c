import { accountMemberId, membershipId } from './entities.ts';
import type { CatalogueEvent } from './events.ts';

export const subjectOf = (event: CatalogueEvent): string => {
  switch (event.type) {
    case 'AccountCreated':
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'CreditsGranted':
    case 'AccountLimitSet':
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
    case 'AccountErased':
      return event.account_id;
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved':
      return accountMemberId(event.account_id, event.user_id);
    case 'InvitationCreated':
    case 'InvitationRevoked':
    case 'InvitationAccepted':
      return event.invitation_id;
    case 'IdentityLinked':
    case 'IdentityUnlinked':
      return event.identity_id;
    case 'TeamCreated':
    case 'TeamRenamed':
      return event.team_id;
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'UserErased':
      return event.user_id;
    case 'MemberAdded':
    case 'MemberRoleChanged':
    case 'MemberRemoved':
      return membershipId(event.team_id, event.user_id);
    case 'ApiKeyIssued':
    case 'ApiKeyRotated':
    case 'ApiKeyRevoked':
      return event.key_id;
    case 'ProjectCreated':
    case 'ProjectVersionAdded':
    case 'ProjectThumbnailMade':
    case 'ProjectErased':
      return event.project_id;
    case 'WebhookEndpointCreated':
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
    case 'WebhookEndpointDeleted':
      return event.endpoint_id;
  }
};
