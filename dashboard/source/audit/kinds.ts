import type { Schemas } from '../api/client.ts';

export type AuditKind = Schemas['AuditEntry']['kind'];

const EVERY: Readonly<Record<AuditKind, true>> = {
  AccountCreated: true,
  AccountRenamed: true,
  CreditLimitLifted: true,
  CreditLimitImposed: true,
  CreditsGranted: true,
  TeamCreated: true,
  TeamRenamed: true,
  UserRegistered: true,
  UserEmailChanged: true,
  MemberAdded: true,
  MemberRoleChanged: true,
  MemberRemoved: true,
  ApiKeyIssued: true,
  ApiKeyRotated: true,
  ApiKeyRevoked: true,
  ProjectCreated: true,
  ProjectVersionAdded: true,
  ProjectThumbnailMade: true,
  ProjectErased: true,
  WebhookEndpointCreated: true,
  WebhookEventsChosen: true,
  WebhookSecretRotated: true,
  WebhookSecretActivated: true,
  WebhookEndpointDisabled: true,
  WebhookEndpointEnabled: true,
  WebhookEndpointDeleted: true,
  AccountOwnerAdded: true,
  AccountOwnerRemoved: true,
  InvitationCreated: true,
  InvitationRevoked: true,
  InvitationAccepted: true,
  IdentityLinked: true,
  IdentityUnlinked: true,
  AccountLimitSet: true,
  AccountRetentionSet: true,
  DeliveryRetentionSet: true,
  DownloadNamingSet: true,
  UserErased: true,
  AccountErased: true,
  RenderRequested: true,
  RenderCancelled: true,
  RenderErased: true,
};

export const isAuditKind = (text: string): text is AuditKind => Object.hasOwn(EVERY, text);

export const AUDIT_KINDS: readonly AuditKind[] = Object.keys(EVERY).filter(isAuditKind);

/** `ApiKeyRevoked` as "API key revoked". */
export const auditKindText = (kind: string): string => {
  // The record is older than the names that it also changes.
  if (kind === 'UserEmailChanged') return 'User name or email changed';
  const words = kind
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/^api /, 'API ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
