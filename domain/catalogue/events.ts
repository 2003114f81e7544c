import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';

export const Role = t.keyof({ admin: null, member: null });
export type Role = t.TypeOf<typeof Role>;

/** A role in a team, or `owner`: of the account. */
export const InvitationRole = t.keyof({ owner: null, admin: null, member: null });
export type InvitationRole = t.TypeOf<typeof InvitationRole>;

/** What an account has a limited number of. */
export const LimitedResource = t.keyof({ keys: null, endpoints: null, teams: null, projects: null, members: null });
export type LimitedResource = t.TypeOf<typeof LimitedResource>;

/** What is kept for an account's own time: outputs of renders with their posters; media that were fetched for them. */
export const Retained = t.keyof({ outputs: null, media: null });
export type Retained = t.TypeOf<typeof Retained>;

/** What the file of a download is named by: the name of the render or project, or its id. */
export const NamedBy = t.keyof({ name: null, id: null });
export type NamedBy = t.TypeOf<typeof NamedBy>;

/** The number of the rules that the fold judges an event by (ADR 68); 0 in those that are older than it. */
const Rules = Integer;

export const AccountCreated = t.strict({
  type: t.literal('AccountCreated'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  name: t.string,
  /** Such an account is never refused for want of credits; it is charged all the same. */
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

/** From here on the account is never refused for want of credits. */
export const CreditLimitLifted = t.strict({
  type: t.literal('CreditLimitLifted'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type CreditLimitLifted = t.TypeOf<typeof CreditLimitLifted>;

/** From here on the account renders only what its credits pay for. */
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
  /** A repeat of the same grant id grants nothing. */
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

/** The e-mail address is a payload, never part of the log. */
export const UserRegistered = t.strict({
  type: t.literal('UserRegistered'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
  email: nullable(PayloadRef),
});
export type UserRegistered = t.TypeOf<typeof UserRegistered>;

/** Null: the user has no address any more. */
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
  /** sha256 of the whole key as shown, lowercase hex. The key itself is stored nowhere. */
  secret_sha256: t.string,
  /** The first seven characters, so that a person can tell keys apart. */
  prefix: t.string,
  last4: t.string,
  /** Milliseconds since the epoch; null for never. */
  expires_at: nullable(Integer),
});
export type ApiKeyIssued = t.TypeOf<typeof ApiKeyIssued>;

/** Issues a key in the place of another: of the same account, user, teams and name. The other one ends. */
export const ApiKeyRotated = t.strict({
  type: t.literal('ApiKeyRotated'),
  meta: Meta,
  rules: Rules,
  /** The key that is replaced. */
  key_id: t.string,
  new_key_id: t.string,
  /** Of the new key, like its prefix, last4 and expires_at. */
  secret_sha256: t.string,
  prefix: t.string,
  last4: t.string,
  expires_at: nullable(Integer),
  /**
   * When the replaced key ends, ms since the epoch, unless it ends sooner anyway. At or before the append time (0, say)
   * it is revoked at once, by the log's clock.
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
  /** Empty where there is a payload. */
  name: t.string,
  created_by: nullable(t.string),
  /** It holds the name (ADR 80). Null in records from before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectCreated = t.TypeOf<typeof ProjectCreated>;

/** A whole new version; legal only on top of `base_version` (0 before the first). */
export const ProjectVersionAdded = t.strict({
  type: t.literal('ProjectVersionAdded'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  base_version: Integer,
  /** Empty where there is a payload, like the document and its hash. */
  name: t.string,
  /** Canonical JSON of the project document, at most 256 KiB. */
  document: t.string,
  document_sha256: t.string,
  /** It is the document, which has the name (ADR 80). Null in records from before rules 2. */
  payload: nullable(PayloadRef),
});
export type ProjectVersionAdded = t.TypeOf<typeof ProjectVersionAdded>;

/**
 * A still of a version of a project as it stands, made after a render of that version: never with a render's values.
 * The first one of a version counts.
 */
export const ProjectThumbnailMade = t.strict({
  type: t.literal('ProjectThumbnailMade'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
  version: Integer,
  path: t.string,
  content_type: t.string,
  /** Of the picture's bytes, lowercase hex. */
  sha256: t.string,
  width: Integer,
  height: Integer,
});
export type ProjectThumbnailMade = t.TypeOf<typeof ProjectThumbnailMade>;

/** For good: nothing shows the project from here on, and its renders are erased one by one (ADR 80). */
export const ProjectErased = t.strict({
  type: t.literal('ProjectErased'),
  meta: Meta,
  rules: Rules,
  project_id: t.string,
});
export type ProjectErased = t.TypeOf<typeof ProjectErased>;

/** An address that deliveries of a team go to. It must begin with https:// and have at most 2,000 characters. */
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

/** From here on the endpoint is subscribed to these, and to no others. */
export const WebhookEventsChosen = t.strict({
  type: t.literal('WebhookEventsChosen'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  events: t.array(t.string),
});
export type WebhookEventsChosen = t.TypeOf<typeof WebhookEventsChosen>;

/** A new secret beside the old one, until it is activated: by hand, or by itself after a day. */
export const WebhookSecretRotated = t.strict({
  type: t.literal('WebhookSecretRotated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The new one, sealed. */
  secret: t.string,
});
export type WebhookSecretRotated = t.TypeOf<typeof WebhookSecretRotated>;

/** The new secret takes the place of the old one, before it does so by itself. */
export const WebhookSecretActivated = t.strict({
  type: t.literal('WebhookSecretActivated'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The new one, sealed, as it was rotated in: a repeat activates no secret of a later rotation. */
  secret: t.string,
});
export type WebhookSecretActivated = t.TypeOf<typeof WebhookSecretActivated>;

export const WebhookEndpointDisabled = t.strict({
  type: t.literal('WebhookEndpointDisabled'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** `by_hand`, `gone`, `failing`; a new one breaks no reader. */
  reason: t.string,
  /**
   * `enabledSince` of the endpoint when the decision was made, ms since the epoch. The event is ignored if the endpoint
   * was enabled again since. Null: always disable (by hand).
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

/** Final: its secrets are deleted. */
export const WebhookEndpointDeleted = t.strict({
  type: t.literal('WebhookEndpointDeleted'),
  meta: Meta,
  rules: Rules,
  endpoint_id: t.string,
  /** The team that it belongs to, so that a reader knows from the event alone whose endpoints become fewer. */
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

/** Whoever has the token may take the role, once. To whom it is sent stands nowhere. */
export const InvitationCreated = t.strict({
  type: t.literal('InvitationCreated'),
  meta: Meta,
  rules: Rules,
  /** `inv_…` */
  invitation_id: t.string,
  account_id: t.string,
  /** Null for an owner of the account. */
  team_id: nullable(t.string),
  role: InvitationRole,
  /** sha256 of the token as shown, lowercase hex. The token itself is stored nowhere. */
  token_sha256: t.string,
  /** Milliseconds since the epoch; no later than 7 days after the append, whatever it says. */
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

/** Makes the user a member or an owner, as the invitation says. */
export const InvitationAccepted = t.strict({
  type: t.literal('InvitationAccepted'),
  meta: Meta,
  rules: Rules,
  invitation_id: t.string,
  user_id: t.string,
});
export type InvitationAccepted = t.TypeOf<typeof InvitationAccepted>;

/** From here on who signs in as this identity is the user. */
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

/** How many of something an account may have. What there is already stays. */
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

/** For good: the user has nothing from here on, and is given nothing any more; what they had is taken away one by one. */
export const UserErased = t.strict({
  type: t.literal('UserErased'),
  meta: Meta,
  rules: Rules,
  user_id: t.string,
});
export type UserErased = t.TypeOf<typeof UserErased>;

/** For good: nothing is given to the account or made in it from here on, and all that it has ends one by one. */
export const AccountErased = t.strict({
  type: t.literal('AccountErased'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
});
export type AccountErased = t.TypeOf<typeof AccountErased>;

/** How long something is kept of each render of an account, after the render's end. */
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

/** How long at most it is kept what endpoints of an account answered, from when the delivery was planned. */
export const DeliveryRetentionSet = t.strict({
  type: t.literal('DeliveryRetentionSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  /** Null for the default. */
  days: nullable(Integer),
});
export type DeliveryRetentionSet = t.TypeOf<typeof DeliveryRetentionSet>;

/** What signed URLs of an account name their files by. */
export const DownloadNamingSet = t.strict({
  type: t.literal('DownloadNamingSet'),
  meta: Meta,
  rules: Rules,
  account_id: t.string,
  named_by: NamedBy,
});
export type DownloadNamingSet = t.TypeOf<typeof DownloadNamingSet>;

/** Everything that may stand in `catalogue-events`. */
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
  /** Of the hash of a payload that was read; left out where it was not, or is not there any more. */
  readonly salt?: string;
  /** Why the payload was not read in time, though it may be there; its text is filled in later. */
  readonly pending?: 'unavailable' | 'refused';
};

/** An event as it is folded: what its payload holds stands in it. */
export type FoldedEvent =
  | Exclude<CatalogueEvent, ProjectCreated | ProjectVersionAdded>
  | (ProjectCreated & Read)
  | (ProjectVersionAdded & Read);

export const isCatalogueEvent = (record: { readonly type: string }): record is CatalogueEvent =>
  Object.hasOwn(CATALOGUE_EVENTS, record.type);
