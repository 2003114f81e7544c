import { CATALOGUE_EVENTS, type CatalogueEvent } from '../catalogue/events.ts';

/**
 * An action in the audit log: a catalogue event, or a render event that a command caused. The audit log omits events of
 * the render workers.
 */
export type AuditKind = CatalogueEvent['type'] | 'RenderRequested' | 'RenderCancelled' | 'RenderErased';

const WORDS: Readonly<Record<AuditKind, string>> = {
  AccountCreated: 'created the account',
  AccountRenamed: 'renamed the account',
  CreditLimitLifted: 'removed the credit limit',
  CreditLimitImposed: 'set the credit limit',
  CreditsGranted: 'granted credits',
  TeamCreated: 'created the team',
  TeamRenamed: 'renamed the team',
  UserRegistered: 'registered the user',
  UserEmailChanged: 'changed the name or e-mail address of the user',
  MemberAdded: 'added the user to the team',
  MemberRoleChanged: 'changed the role of the member',
  MemberRemoved: 'removed the user from the team',
  ApiKeyIssued: 'created the API key',
  ApiKeyRotated: 'rotated the API key',
  ApiKeyRevoked: 'revoked the API key',
  ProjectCreated: 'created the project',
  ProjectVersionAdded: 'added a version of the project',
  ProjectThumbnailMade: 'created the thumbnail of the project',
  ProjectErased: 'erased the project',
  WebhookEndpointCreated: 'created the webhook endpoint',
  WebhookEventsChosen: 'changed the events of the webhook endpoint',
  WebhookSecretRotated: 'rotated the secret of the webhook endpoint',
  WebhookSecretActivated: 'activated the new secret of the webhook endpoint',
  WebhookEndpointDisabled: 'disabled the webhook endpoint',
  WebhookEndpointEnabled: 'enabled the webhook endpoint',
  WebhookEndpointDeleted: 'deleted the webhook endpoint',
  AccountOwnerAdded: 'added the user as an owner of the account',
  AccountOwnerRemoved: 'removed the user as an owner of the account',
  InvitationCreated: 'created the invitation',
  InvitationRevoked: 'revoked the invitation',
  InvitationAccepted: 'accepted the invitation',
  IdentityLinked: 'linked an identity to the user',
  IdentityUnlinked: 'unlinked an identity from the user',
  AccountLimitSet: 'set a limit of the account',
  AccountRetentionSet: 'set how long the account keeps outputs or media',
  DeliveryRetentionSet: 'set how long the account keeps responses of endpoints',
  DownloadNamingSet: 'changed how downloads are named',
  UserErased: 'erased the user',
  AccountErased: 'erased the account',
  RenderRequested: 'requested the render',
  RenderCancelled: 'cancelled the render',
  RenderErased: 'erased the render',
};

export const auditPhrase = (kind: AuditKind): string => WORDS[kind];

export const isAuditKind = (text: string): text is AuditKind => Object.hasOwn(WORDS, text);

export const AUDIT_KINDS: readonly AuditKind[] = Object.keys(WORDS).filter(isAuditKind);

/** True if the catalogue's log has records of this kind; otherwise the render log has them. */
export const isCatalogueAuditKind = (kind: AuditKind): boolean => Object.hasOwn(CATALOGUE_EVENTS, kind);
