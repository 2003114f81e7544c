import type { Schemas } from '../api/client.ts';

export type Kind = Schemas['AuditEntry']['kind'];

const EVERY: Readonly<Record<Kind, true>> = {
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

export const isKind = (text: string): text is Kind => Object.hasOwn(EVERY, text);

export const KINDS: readonly Kind[] = Object.keys(EVERY).filter(isKind);

/** `ApiKeyRevoked` as "API key revoked". */
export const kindText = (kind: string): string => {
  const words = kind
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/^api /, 'API ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
