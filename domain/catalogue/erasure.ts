import { type ErasureOrigin, isErased } from './entities.ts';
import type { CatalogueEventWithTexts } from './events.ts';
import type { CatalogueReason, CatalogueView } from './verdict.ts';

type Concerned = { readonly account_id: string | null; readonly user_id: string | null };

const NOBODY: Concerned = { account_id: null, user_id: null };

const teamIn =
  (view: CatalogueView) =>
  (team_id: string | undefined, user_id: string | null = null): Concerned => ({
    account_id: team_id === undefined ? null : (view('team', team_id)?.account_id ?? null),
    user_id,
  });

const receiversOf = (view: CatalogueView, event: CatalogueEventWithTexts): Concerned => {
  const ofTeam = teamIn(view);
  switch (event.type) {
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'CreditsGranted':
    case 'AccountLimitSet':
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
    case 'TeamCreated':
    case 'InvitationCreated':
      return { account_id: event.account_id, user_id: null };
    case 'AccountOwnerAdded':
    case 'ApiKeyIssued':
      return { account_id: event.account_id, user_id: event.user_id };
    case 'ApiKeyRotated':
      return view('api_key', event.key_id) ?? NOBODY;
    case 'InvitationAccepted':
      return { account_id: view('invitation', event.invitation_id)?.account_id ?? null, user_id: event.user_id };
    case 'TeamRenamed':
    case 'ProjectCreated':
    case 'WebhookEndpointCreated':
      return ofTeam(event.team_id);
    case 'MemberAdded':
    case 'MemberRoleChanged':
      return ofTeam(event.team_id, event.user_id);
    case 'ProjectVersionAdded':
    case 'ProjectThumbnailMade':
      return ofTeam(view('project', event.project_id)?.team_id);
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointEnabled':
      return ofTeam(view('webhook_endpoint', event.endpoint_id)?.team_id);
    case 'UserEmailChanged':
    case 'IdentityLinked':
      return { account_id: null, user_id: event.user_id };
    case 'AccountCreated':
    case 'UserRegistered':
    case 'MemberRemoved':
    case 'AccountOwnerRemoved':
    case 'ApiKeyRevoked':
    case 'ProjectErased':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointDeleted':
    case 'InvitationRevoked':
    case 'IdentityUnlinked':
    case 'UserErased':
    case 'AccountErased':
      return NOBODY;
  }
};

export const erasedTargetReason = (view: CatalogueView, event: CatalogueEventWithTexts): CatalogueReason | null => {
  const { account_id, user_id } = receiversOf(view, event);
  if (account_id !== null && isErased(view('account', account_id))) return 'account_erased';
  if (user_id !== null && isErased(view('user', user_id))) return 'user_erased';
  return null;
};

/**
 * True if an event removes an erased user, or a user of an erased account. Such a removal may leave a team without
 * admins or an account without owners.
 */
export const removesErasedMember = (view: CatalogueView, event: CatalogueEventWithTexts): boolean => {
  if (event.type !== 'MemberRemoved' && event.type !== 'AccountOwnerRemoved') return false;
  const account_id = event.type === 'MemberRemoved' ? view('team', event.team_id)?.account_id : event.account_id;
  return isErased(view('user', event.user_id)) || (account_id !== undefined && isErased(view('account', account_id)));
};

/** The account comes from the stored entity, never from the event. */
const losersOf = (view: CatalogueView, event: CatalogueEventWithTexts): Concerned => {
  const ofTeam = teamIn(view);
  switch (event.type) {
    case 'MemberRemoved':
      return ofTeam(event.team_id, event.user_id);
    case 'AccountOwnerRemoved':
      return event;
    case 'IdentityUnlinked':
      return { account_id: null, user_id: event.user_id };
    case 'ApiKeyRevoked':
      return view('api_key', event.key_id) ?? NOBODY;
    case 'InvitationRevoked':
      return { account_id: view('invitation', event.invitation_id)?.account_id ?? null, user_id: null };
    case 'ProjectErased':
      return ofTeam(view('project', event.project_id)?.team_id);
    case 'WebhookEndpointDeleted':
      return ofTeam(view('webhook_endpoint', event.endpoint_id)?.team_id);
    default:
      return NOBODY;
  }
};

/** The sweep acts in the name of the actor of an erasure, who may have lost the role or be erased too (ADR 85). */
export const isCleanupByEraser = (view: CatalogueView, event: CatalogueEventWithTexts): boolean => {
  const { account_id, user_id } = losersOf(view, event);
  const { actor } = event.meta;
  const isErasedByActor = (entity: { readonly erased?: ErasureOrigin } | null): boolean => entity?.erased?.by === actor;
  return (
    (account_id !== null && isErasedByActor(view('account', account_id))) ||
    (user_id !== null && isErasedByActor(view('user', user_id)))
  );
};
