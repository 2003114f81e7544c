import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';

export const Role = t.keyof({ admin: null, member: null });
export type Role = t.TypeOf<typeof Role>;

export const InvitationRole = t.keyof({ owner: null, admin: null, member: null });
export type InvitationRole = t.TypeOf<typeof InvitationRole>;

export const LimitedResource = t.keyof({
  ...{ keys: null, endpoints: null, teams: null, projects: null, members: null },
  inline_projects: null,
});
export type LimitedResource = t.TypeOf<typeof LimitedResource>;

export const RetainedRenderData = t.keyof({ outputs: null, media: null });
export type RetainedRenderData = t.TypeOf<typeof RetainedRenderData>;

export const DownloadNameSource = t.keyof({ name: null, id: null });
export type DownloadNameSource = t.TypeOf<typeof DownloadNameSource>;

/** The version of the rules by which the fold judges an event (ADR 68); 0 in events older than ADR 68. */
const Rules = Integer;

export const AccountCreated = t.strict({
  type: t.literal('AccountCreated'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  name: t.string,
  /** The service charges such an account, but never refuses its renders for lack of credits. */
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

export const CreditLimitLifted = t.strict({
  type: t.literal('CreditLimitLifted'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type CreditLimitLifted = t.TypeOf<typeof CreditLimitLifted>;

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

/** The e-mail address is in the payload, never in the log. */
export const UserRegistered = t.strict({
  type: t.literal('UserRegistered'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
  email: nullable(PayloadRef),
});
export type UserRegistered = t.TypeOf<typeof UserRegistered>;

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
  /** SHA-256 of the whole key, lowercase hex. The key itself is never stored. */
  secret_sha256: t.string,
  prefix: t.string,
  last4: t.string,
  /** ms since the epoch; null for never. */
  expires_at: nullable(Integer),
  /** Rights beyond those of every key; null in events before rules 4, and for keys without scopes. */
  scopes: nullable(t.array(t.string)),
});
export type ApiKeyIssued = t.TypeOf<typeof ApiKeyIssued>;

export const ApiKeyRotated = t.strict({
  type: t.literal('ApiKeyRotated'),
  meta: Meta,
  rules: Rules,
  key_id: t.string,
  new_key_id: t.string,
  /** This member and the next three belong to the new key. */
  secret_sha256: t.string,
  prefix: t.string,
  last4: t.string,
  expires_at: nullable(Integer),
  /**
   * When the old key ends, ms since the epoch, unless it expires sooner. The fold revokes the old key at once if this
   * time is not after the append time, for example 0.
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
  name: t.string,
  created_by: nullable(t.string),
  /** The payload has the name (ADR 80). Null in events before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectCreated = t.TypeOf<typeof ProjectCreated>;

/** The fold accepts a version only on top of `base_version`, which is 0 for the first version. */
export const ProjectVersionAdded = t.strict({
  type: t.literal('ProjectVersionAdded'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  base_version: Integer,
  name: t.string,
  /** Canonical JSON of the project document, at most 256 KiB. */
  document: t.string,
  document_sha256: t.string,
  /** The payload is the document, which includes the name (ADR 80). Null in events before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectVersionAdded = t.TypeOf<typeof ProjectVersionAdded>;

/**
 * A still with the project's default values, never with the values of a render. The fold keeps the first thumbnail of a
 * version.
 */
export const ProjectThumbnailMade = t.strict({
  type: t.literal('ProjectThumbnailMade'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  path: t.string,
  content_type: t.string,
  /** SHA-256 of the image file, lowercase hex. */
  sha256: t.string,
  width: Integer,
  height: Integer,
});
export type ProjectThumbnailMade = t.TypeOf<typeof ProjectThumbnailMade>;

/** Permanent: no answer shows the project, and the process `retention` erases its renders one by one (ADR 80). */
export const ProjectErased = t.strict({
  type: t.literal('ProjectErased'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
});
export type ProjectErased = t.TypeOf<typeof ProjectErased>;

/** `url` is the target of the team's deliveries: https://, at most 2,000 characters. */
export const WebhookEndpointCreated = t.strict({
  type: t.literal('WebhookEndpointCreated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  team_id: t.string,
  url: t.string,
  events: t.array(t.string),
  /** The signing secret, encrypted with the key of the deployment. */
  secret: t.string,
});
export type WebhookEndpointCreated = t.TypeOf<typeof WebhookEndpointCreated>;

export const WebhookEventsChosen = t.strict({
  type: t.literal('WebhookEventsChosen'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  events: t.array(t.string),
});
export type WebhookEventsChosen = t.TypeOf<typeof WebhookEventsChosen>;

/** Adds a second secret. It replaces the old one when a person activates it, or automatically after a day. */
export const WebhookSecretRotated = t.strict({
  type: t.literal('WebhookSecretRotated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  secret: t.string,
});
export type WebhookSecretRotated = t.TypeOf<typeof WebhookSecretRotated>;

export const WebhookSecretActivated = t.strict({
  type: t.literal('WebhookSecretActivated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /**
   * The new secret, encrypted exactly as in its rotation event. It names one rotation, so a repeat of this event does
   * not activate the secret of a later rotation.
   */
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
   * When the endpoint was last enabled before the decision, ms since the epoch. The fold ignores the event if the
   * endpoint was enabled again after that. Null always disables.
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
  /** Included so that a reader who does not know the endpoint knows which team's count decreases. */
  team_id: t.string,
});
export type WebhookEndpointDeleted = t.TypeOf<typeof WebhookEndpointDeleted>;

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

/** The holder of the token may take the role once. The event does not have the recipient's address. */
export const InvitationCreated = t.strict({
  type: t.literal('InvitationCreated'),
  meta: Meta,
  rules: Rules,
  invitation_id: t.string,
  account_id: t.string,
  team_id: nullable(t.string),
  role: InvitationRole,
  /** SHA-256 of the token, lowercase hex. The token itself is never stored. */
  token_sha256: t.string,
  /** ms since the epoch. The fold caps it at 7 days after the append. */
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

export const InvitationAccepted = t.strict({
  type: t.literal('InvitationAccepted'),
  meta: Meta,
  rules: Rules,
  invitation_id: t.string,
  user_id: t.string,
});
export type InvitationAccepted = t.TypeOf<typeof InvitationAccepted>;

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

export const AccountLimitSet = t.strict({
  type: t.literal('AccountLimitSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  resource: LimitedResource,
  most: nullable(Integer),
});
export type AccountLimitSet = t.TypeOf<typeof AccountLimitSet>;

/** Permanent. The process `retention` removes the user's roles, keys and identities one by one. */
export const UserErased = t.strict({
  type: t.literal('UserErased'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
});
export type UserErased = t.TypeOf<typeof UserErased>;

/** Permanent. The process `retention` ends the account's entities one by one. */
export const AccountErased = t.strict({
  type: t.literal('AccountErased'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type AccountErased = t.TypeOf<typeof AccountErased>;

export const AccountRetentionSet = t.strict({
  type: t.literal('AccountRetentionSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  what: RetainedRenderData,
  days: nullable(Integer),
});
export type AccountRetentionSet = t.TypeOf<typeof AccountRetentionSet>;

/**
 * How long the service keeps the HTTP answers of the account's endpoints, counted from the planning of the delivery.
 */
export const DeliveryRetentionSet = t.strict({
  type: t.literal('DeliveryRetentionSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  days: nullable(Integer),
});
export type DeliveryRetentionSet = t.TypeOf<typeof DeliveryRetentionSet>;

export const DownloadNamingSet = t.strict({
  type: t.literal('DownloadNamingSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  named_by: DownloadNameSource,
});
export type DownloadNamingSet = t.TypeOf<typeof DownloadNamingSet>;

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
  readonly salt?: string;
  /** Why the payload was not read in time. The projector fills in the text later. */
  readonly pending?: 'unavailable' | 'refused';
};

export type CatalogueEventWithTexts =
  | Exclude<CatalogueEvent, ProjectCreated | ProjectVersionAdded>
  | (ProjectCreated & Read)
  | (ProjectVersionAdded & Read);

export const isCatalogueEvent = (record: { readonly type: string }): record is CatalogueEvent =>
  Object.hasOwn(CATALOGUE_EVENTS, record.type);
