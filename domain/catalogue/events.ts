import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';

export const Role = t.keyof({ admin: null, member: null });
export type Role = t.TypeOf<typeof Role>;

/** A role in a team, or `owner` of the account. */
export const InvitationRole = t.keyof({ owner: null, admin: null, member: null });
export type InvitationRole = t.TypeOf<typeof InvitationRole>;

/** The resources that an account has limits for. */
export const LimitedResource = t.keyof({ keys: null, endpoints: null, teams: null, projects: null, members: null });
export type LimitedResource = t.TypeOf<typeof LimitedResource>;

/** Data with a retention per account: render outputs with their posters, and media fetched for renders. */
export const Retained = t.keyof({ outputs: null, media: null });
export type Retained = t.TypeOf<typeof Retained>;

/** The source of download file names: the name of the render or project, or its id. */
export const NamedBy = t.keyof({ name: null, id: null });
export type NamedBy = t.TypeOf<typeof NamedBy>;

/** The number of the rules that the fold judges an event by (ADR 68); 0 in events older than ADR 68. */
const Rules = Integer;

export const AccountCreated = t.strict({
  type: t.literal('AccountCreated'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  name: t.string,
  /** The service never refuses such an account for lack of credits, but still charges it. */
  unlimited_credits: t.boolean,
});
export type AccountCreated = t.TypeOf<typeof AccountCreated>;

export const AccountRenamed = t.strict({
  type: t.literal('AccountRenamed'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  name: t.string,
});
export type AccountRenamed = t.TypeOf<typeof AccountRenamed>;

/** From this event on, the service never refuses the account for lack of credits. */
export const CreditLimitLifted = t.strict({
  type: t.literal('CreditLimitLifted'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type CreditLimitLifted = t.TypeOf<typeof CreditLimitLifted>;

/** From this event on, the account renders only what its credits pay for. */
export const CreditLimitImposed = t.strict({
  type: t.literal('CreditLimitImposed'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type CreditLimitImposed = t.TypeOf<typeof CreditLimitImposed>;

export const CreditsGranted = t.strict({
  type: t.literal('CreditsGranted'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  /** The fold ignores a repeat of the same grant id. */
  grant_id: t.string,
  credits: Integer,
});
export type CreditsGranted = t.TypeOf<typeof CreditsGranted>;

export const TeamCreated = t.strict({
  type: t.literal('TeamCreated'),
  meta: Meta,
  rules: Rules,
  team_id: t.string,
  account_id: t.string,
  name: t.string,
});
export type TeamCreated = t.TypeOf<typeof TeamCreated>;

export const TeamRenamed = t.strict({
  type: t.literal('TeamRenamed'),
  meta: Meta,
  rules: Rules,
  team_id: t.string,
  name: t.string,
});
export type TeamRenamed = t.TypeOf<typeof TeamRenamed>;

/** The payload store has the e-mail address; the log never has it. */
export const UserRegistered = t.strict({
  type: t.literal('UserRegistered'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
  email: nullable(PayloadRef),
});
export type UserRegistered = t.TypeOf<typeof UserRegistered>;

/** A null `email` removes the address. */
export const UserEmailChanged = t.strict({
  type: t.literal('UserEmailChanged'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
  email: nullable(PayloadRef),
});
export type UserEmailChanged = t.TypeOf<typeof UserEmailChanged>;

export const MemberAdded = t.strict({
  type: t.literal('MemberAdded'),
  meta: Meta,
  rules: Rules,
  team_id: t.string,
  user_id: t.string,
  role: Role,
});
export type MemberAdded = t.TypeOf<typeof MemberAdded>;

export const MemberRoleChanged = t.strict({
  type: t.literal('MemberRoleChanged'),
  meta: Meta,
  rules: Rules,
  team_id: t.string,
  user_id: t.string,
  role: Role,
});
export type MemberRoleChanged = t.TypeOf<typeof MemberRoleChanged>;

export const MemberRemoved = t.strict({
  type: t.literal('MemberRemoved'),
  meta: Meta,
  rules: Rules,
  team_id: t.string,
  user_id: t.string,
});
export type MemberRemoved = t.TypeOf<typeof MemberRemoved>;

export const ApiKeyIssued = t.strict({
  type: t.literal('ApiKeyIssued'),
  meta: Meta,
  rules: Rules,
  key_id: t.string,
  account_id: t.string,
  user_id: nullable(t.string),
  team_ids: t.array(t.string),
  name: t.string,
  /** sha256 of the whole key, lowercase hex. The key itself is never stored. */
  secret_sha256: t.string,
  /** The first seven characters, so that a person can tell keys apart. */
  prefix: t.string,
  last4: t.string,
  /** Milliseconds since the epoch; null for never. */
  expires_at: nullable(Integer),
});
export type ApiKeyIssued = t.TypeOf<typeof ApiKeyIssued>;

/** Replaces a key with a new one of the same account, user, teams and name. The old key ends. */
export const ApiKeyRotated = t.strict({
  type: t.literal('ApiKeyRotated'),
  meta: Meta,
  rules: Rules,
  /** The old key. */
  key_id: t.string,
  new_key_id: t.string,
  /** This and the next three members describe the new key. */
  secret_sha256: t.string,
  prefix: t.string,
  last4: t.string,
  expires_at: nullable(Integer),
  /**
   * When the old key ends, ms since the epoch, unless it expires sooner. If this is at or before the append time (for
   * example 0), the fold revokes the key at once.
   */
  overlap_until: Integer,
});
export type ApiKeyRotated = t.TypeOf<typeof ApiKeyRotated>;

export const ApiKeyRevoked = t.strict({
  type: t.literal('ApiKeyRevoked'),
  meta: Meta,
  rules: Rules,
  key_id: t.string,
});
export type ApiKeyRevoked = t.TypeOf<typeof ApiKeyRevoked>;

export const ProjectCreated = t.strict({
  type: t.literal('ProjectCreated'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  team_id: t.string,
  /** Empty if there is a payload. */
  name: t.string,
  created_by: nullable(t.string),
  /** The payload has the name (ADR 80). Null in records from before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectCreated = t.TypeOf<typeof ProjectCreated>;

/** A whole new version. The fold accepts it only on top of `base_version` (0 before the first). */
export const ProjectVersionAdded = t.strict({
  type: t.literal('ProjectVersionAdded'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  base_version: Integer,
  /** Empty if there is a payload, like the document and its hash. */
  name: t.string,
  /** Canonical JSON of the project document, at most 256 KiB. */
  document: t.string,
  document_sha256: t.string,
  /** The payload is the document, which has the name (ADR 80). Null in records from before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectVersionAdded = t.TypeOf<typeof ProjectVersionAdded>;

/**
 * A still of a version with the project's own values, never with those of a render. A render of that version triggers
 * it. The fold keeps the first thumbnail of a version.
 */
export const ProjectThumbnailMade = t.strict({
  type: t.literal('ProjectThumbnailMade'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  path: t.string,
  content_type: t.string,
  /** sha256 of the image file, lowercase hex. */
  sha256: t.string,
  width: Integer,
  height: Integer,
});
export type ProjectThumbnailMade = t.TypeOf<typeof ProjectThumbnailMade>;

/** Permanent: the project disappears from all answers, and its renders are erased one by one (ADR 80). */
export const ProjectErased = t.strict({
  type: t.literal('ProjectErased'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
});
export type ProjectErased = t.TypeOf<typeof ProjectErased>;

/** The target URL of a team's deliveries. It must begin with https:// and have at most 2,000 characters. */
export const WebhookEndpointCreated = t.strict({
  type: t.literal('WebhookEndpointCreated'),
  meta: Meta,
  rules: Rules,
  /** `whe_…` */
  endpoint_id: t.string,
  team_id: t.string,
  url: t.string,
  /** Kinds of events, at least one. */
  events: t.array(t.string),
  /** The signing secret, sealed with the key of the deployment. */
  secret: t.string,
});
export type WebhookEndpointCreated = t.TypeOf<typeof WebhookEndpointCreated>;

/** Replaces the endpoint's subscriptions with these. */
export const WebhookEventsChosen = t.strict({
  type: t.literal('WebhookEventsChosen'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  events: t.array(t.string),
});
export type WebhookEventsChosen = t.TypeOf<typeof WebhookEventsChosen>;

/**
 * Adds a new secret next to the old one until activation. A person activates it, or it activates automatically after a
 * day.
 */
export const WebhookSecretRotated = t.strict({
  type: t.literal('WebhookSecretRotated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The new secret, sealed. */
  secret: t.string,
});
export type WebhookSecretRotated = t.TypeOf<typeof WebhookSecretRotated>;

/** Replaces the old secret with the new one before the automatic activation. */
export const WebhookSecretActivated = t.strict({
  type: t.literal('WebhookSecretActivated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The new secret, sealed as in its rotation. A repeat therefore does not activate the secret of a later rotation. */
  secret: t.string,
});
export type WebhookSecretActivated = t.TypeOf<typeof WebhookSecretActivated>;

export const WebhookEndpointDisabled = t.strict({
  type: t.literal('WebhookEndpointDisabled'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** `by_hand`, `gone` or `failing`. Readers accept unknown reasons. */
  reason: t.string,
  /**
   * `enabledSince` of the endpoint at the decision, ms since the epoch. The fold ignores the event if the endpoint was
   * enabled again since. Null (by hand) always disables.
   */
  enabled_since: nullable(Integer),
});
export type WebhookEndpointDisabled = t.TypeOf<typeof WebhookEndpointDisabled>;

export const WebhookEndpointEnabled = t.strict({
  type: t.literal('WebhookEndpointEnabled'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
});
export type WebhookEndpointEnabled = t.TypeOf<typeof WebhookEndpointEnabled>;

/** Permanent: the fold deletes the endpoint's secrets. */
export const WebhookEndpointDeleted = t.strict({
  type: t.literal('WebhookEndpointDeleted'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The endpoint's team, so that a reader knows from the event which team's count shrinks. */
  team_id: t.string,
});
export type WebhookEndpointDeleted = t.TypeOf<typeof WebhookEndpointDeleted>;

/** The user must be registered. */
export const AccountOwnerAdded = t.strict({
  type: t.literal('AccountOwnerAdded'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  user_id: t.string,
});
export type AccountOwnerAdded = t.TypeOf<typeof AccountOwnerAdded>;

export const AccountOwnerRemoved = t.strict({
  type: t.literal('AccountOwnerRemoved'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  user_id: t.string,
});
export type AccountOwnerRemoved = t.TypeOf<typeof AccountOwnerRemoved>;

/** The holder of the token may take the role once. The record does not have the recipient's address. */
export const InvitationCreated = t.strict({
  type: t.literal('InvitationCreated'),
  meta: Meta,
  rules: Rules,
  /** `inv_…` */
  invitation_id: t.string,
  account_id: t.string,
  /** Null for an owner invitation. */
  team_id: nullable(t.string),
  role: InvitationRole,
  /** sha256 of the token, lowercase hex. The token itself is never stored. */
  token_sha256: t.string,
  /** Milliseconds since the epoch. The fold caps it at 7 days after the append. */
  expires_at: Integer,
});
export type InvitationCreated = t.TypeOf<typeof InvitationCreated>;

export const InvitationRevoked = t.strict({
  type: t.literal('InvitationRevoked'),
  meta: Meta,
  rules: Rules,
  invitation_id: t.string,
});
export type InvitationRevoked = t.TypeOf<typeof InvitationRevoked>;

/** Gives the user the role in the invitation. */
export const InvitationAccepted = t.strict({
  type: t.literal('InvitationAccepted'),
  meta: Meta,
  rules: Rules,
  invitation_id: t.string,
  user_id: t.string,
});
export type InvitationAccepted = t.TypeOf<typeof InvitationAccepted>;

/** From this event on, a sign-in with this identity is a sign-in of the user. */
export const IdentityLinked = t.strict({
  type: t.literal('IdentityLinked'),
  meta: Meta,
  rules: Rules,
  /** A keyed hash of the issuer and the subject, lowercase hex. */
  identity_id: t.string,
  user_id: t.string,
});
export type IdentityLinked = t.TypeOf<typeof IdentityLinked>;

export const IdentityUnlinked = t.strict({
  type: t.literal('IdentityUnlinked'),
  meta: Meta,
  rules: Rules,
  identity_id: t.string,
  user_id: t.string,
});
export type IdentityUnlinked = t.TypeOf<typeof IdentityUnlinked>;

/** The maximum number of a resource for an account. Existing entities remain. */
export const AccountLimitSet = t.strict({
  type: t.literal('AccountLimitSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  resource: LimitedResource,
  /** Null for the default. */
  most: nullable(Integer),
});
export type AccountLimitSet = t.TypeOf<typeof AccountLimitSet>;

/** Permanent: the user has no access and can receive nothing. The sweep removes what they had, one by one. */
export const UserErased = t.strict({
  type: t.literal('UserErased'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
});
export type UserErased = t.TypeOf<typeof UserErased>;

/** Permanent: the account accepts no additions. The sweep ends all its entities one by one. */
export const AccountErased = t.strict({
  type: t.literal('AccountErased'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type AccountErased = t.TypeOf<typeof AccountErased>;

/** How long the service keeps data of each of the account's renders, after the end of the render. */
export const AccountRetentionSet = t.strict({
  type: t.literal('AccountRetentionSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  what: Retained,
  /** Null for the default. */
  days: nullable(Integer),
});
export type AccountRetentionSet = t.TypeOf<typeof AccountRetentionSet>;

/**
 * The longest time for which the service keeps answers of the account's endpoints, from the planning of the delivery.
 */
export const DeliveryRetentionSet = t.strict({
  type: t.literal('DeliveryRetentionSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  /** Null for the default. */
  days: nullable(Integer),
});
export type DeliveryRetentionSet = t.TypeOf<typeof DeliveryRetentionSet>;

/** The source of file names in the account's signed URLs. */
export const DownloadNamingSet = t.strict({
  type: t.literal('DownloadNamingSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  named_by: NamedBy,
});
export type DownloadNamingSet = t.TypeOf<typeof DownloadNamingSet>;

/** Every event type of `catalogue-events`. */
export const CATALOGUE_EVENTS = {
  AccountCreated,
  AccountRenamed,
  CreditLimitLifted,
  CreditLimitImposed,
  CreditsGranted,
  TeamCreated,
  TeamRenamed,
  UserRegistered,
  UserEmailChanged,
  MemberAdded,
  MemberRoleChanged,
  MemberRemoved,
  ApiKeyIssued,
  ApiKeyRotated,
  ApiKeyRevoked,
  ProjectCreated,
  ProjectVersionAdded,
  ProjectThumbnailMade,
  ProjectErased,
  WebhookEndpointCreated,
  WebhookEventsChosen,
  WebhookSecretRotated,
  WebhookSecretActivated,
  WebhookEndpointDisabled,
  WebhookEndpointEnabled,
  WebhookEndpointDeleted,
  AccountOwnerAdded,
  AccountOwnerRemoved,
  InvitationCreated,
  InvitationRevoked,
  InvitationAccepted,
  IdentityLinked,
  IdentityUnlinked,
  AccountLimitSet,
  AccountRetentionSet,
  DeliveryRetentionSet,
  DownloadNamingSet,
  UserErased,
  AccountErased,
} as const;

export type CatalogueEvent = t.TypeOf<(typeof CATALOGUE_EVENTS)[keyof typeof CATALOGUE_EVENTS]>;

type Read = {
  /** The salt of the payload's hash. Left out if the payload was not read or is deleted. */
  readonly salt?: string;
  /** Why the payload was not read in time. If it exists, the service fills in its text later. */
  readonly pending?: 'unavailable' | 'refused';
};

/** An event together with the content of its payload, as the fold reads it. */
export type FoldedEvent =
  | Exclude<CatalogueEvent, ProjectCreated | ProjectVersionAdded>
  | (ProjectCreated & Read)
  | (ProjectVersionAdded & Read);

export const isCatalogueEvent = (record: { readonly type: string }): record is CatalogueEvent =>
  Object.hasOwn(CATALOGUE_EVENTS, record.type);
