import type { Scope } from '../access/scopes.ts';
import type { PayloadRef } from '../event/payload.ts';
import type { EventKind } from '../webhooks/event-kinds.ts';
import type { CatalogueEvent } from './events.ts';

type ContentOf<T extends CatalogueEvent['type']> = Omit<
  Extract<CatalogueEvent, { type: T }>,
  'type' | 'meta' | 'rules'
>;

type Command<T extends string, C> = { readonly type: T } & Readonly<C>;

/**
 * The old key still works for `overlap_ms`; 0 ends it at once. A null `expires_at` means never. If it is omitted, the
 * new key gets the lifetime of the old one.
 */
export type RotateKey = Command<
  'RotateKey',
  Omit<ContentOf<'ApiKeyRotated'>, 'overlap_until' | 'expires_at'> & {
    overlap_ms: number;
    expires_at?: number | null | undefined;
  }
>;

export type CatalogueCommand =
  | Command<'CreateAccount', ContentOf<'AccountCreated'>>
  | Command<'RenameAccount', ContentOf<'AccountRenamed'>>
  | Command<'SetCreditLimit', { account_id: string; unlimited_credits: boolean }>
  | Command<'GrantCredits', ContentOf<'CreditsGranted'>>
  | Command<'CreateTeam', ContentOf<'TeamCreated'>>
  | Command<'RenameTeam', ContentOf<'TeamRenamed'>>
  | Command<'RegisterUser', ContentOf<'UserRegistered'>>
  | Command<'ChangeEmail', ContentOf<'UserEmailChanged'>>
  | Command<'AddMember', ContentOf<'MemberAdded'>>
  | Command<'ChangeRole', ContentOf<'MemberRoleChanged'>>
  | Command<'RemoveMember', ContentOf<'MemberRemoved'>>
  | Command<
      'IssueKey',
      Omit<ContentOf<'ApiKeyIssued'>, 'team_ids' | 'scopes'> & {
        team_ids: readonly string[];
        scopes?: readonly Scope[];
      }
    >
  | RotateKey
  | Command<'RevokeKey', ContentOf<'ApiKeyRevoked'>>
  /** The payloads of these two commands are already in the blob store. `name` equals the name in the payload. */
  | Command<'CreateProject', ContentOf<'ProjectCreated'> & { payload: PayloadRef }>
  | Command<'AddVersion', { project_id: string; base_version: number; payload: PayloadRef }>
  | Command<'EraseProject', ContentOf<'ProjectErased'>>
  | Command<'CreateEndpoint', Omit<ContentOf<'WebhookEndpointCreated'>, 'events'> & { events: readonly EventKind[] }>
  | Command<'ChooseEvents', { endpoint_id: string; events: readonly EventKind[] }>
  | Command<'RotateSecret', ContentOf<'WebhookSecretRotated'>>
  | Command<'ActivateSecret', { endpoint_id: string }>
  | Command<'DisableEndpoint', { endpoint_id: string }>
  | Command<'EnableEndpoint', { endpoint_id: string }>
  | Command<'DeleteEndpoint', { endpoint_id: string }>
  | Command<'AddOwner', ContentOf<'AccountOwnerAdded'>>
  | Command<'RemoveOwner', ContentOf<'AccountOwnerRemoved'>>
  | Command<'Invite', ContentOf<'InvitationCreated'>>
  | Command<'RevokeInvitation', ContentOf<'InvitationRevoked'>>
  | Command<'AcceptInvitation', ContentOf<'InvitationAccepted'>>
  | Command<'LinkIdentity', ContentOf<'IdentityLinked'>>
  | Command<'UnlinkIdentity', ContentOf<'IdentityUnlinked'>>
  | Command<'SetLimit', ContentOf<'AccountLimitSet'>>
  | Command<'SetRetention', ContentOf<'AccountRetentionSet'>>
  | Command<'SetDeliveryRetention', ContentOf<'DeliveryRetentionSet'>>
  | Command<'NameDownloads', ContentOf<'DownloadNamingSet'>>
  | Command<'EraseUser', ContentOf<'UserErased'>>
  | Command<'EraseAccount', ContentOf<'AccountErased'>>;
