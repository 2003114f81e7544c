import type { PayloadRef, SaltedPayload } from '../event/payload.ts';
import type { TeamWebhooks, WebhookEndpoint } from '../webhooks/endpoint.ts';
import type { DownloadNameSource, InvitationRole, LimitedResource, Role } from './events.ts';

/** Entities of the catalogue, as the fold builds them. Times are append times in ms since the epoch. */
export type Account = {
  readonly kind: 'account';
  readonly id: string;
  readonly name: string;
  readonly unlimited_credits: boolean;
  readonly granted_credits: number;
  readonly created_at: number;
  /**
   * Set only after an erasure: the account accepts no additions, and the process `retention` ends its entities one by
   * one.
   */
  readonly erased?: ErasureOrigin;
};

/** `id` is `<account_id>/<grant_id>`, so the fold ignores a repeated grant. */
export type CreditGrant = {
  readonly kind: 'credit_grant';
  readonly id: string;
  readonly account_id: string;
  readonly credits: number;
  readonly created_at: number;
};

export type Team = {
  readonly kind: 'team';
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly created_at: number;
};

export type User = {
  readonly kind: 'user';
  readonly id: string;
  readonly email: PayloadRef | null;
  readonly created_at: number;
  /** Set only after an erasure: the user can do and receive nothing, and loses all roles and keys. */
  readonly erased?: ErasureOrigin;
};

/** `id` is `<team_id>/<user_id>`. A removed member may be added again. */
export type Membership = {
  readonly kind: 'membership';
  readonly id: string;
  readonly team_id: string;
  readonly user_id: string;
  readonly role: Role;
  readonly joined_at: number;
  readonly removed: boolean;
};

export type ApiKey = {
  readonly kind: 'api_key';
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string | null;
  readonly team_ids: readonly string[];
  readonly name: string;
  readonly secret_sha256: string;
  readonly prefix: string;
  readonly last4: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly replaced_by: string | null;
  /** Absent for a key without scopes. */
  readonly scopes?: readonly string[];
};

export type Project = {
  readonly kind: 'project';
  readonly id: string;
  readonly team_id: string;
  /** Null after an erasure or if the payload is missing. The API omits such a project. */
  readonly name: string | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
  /** 0 until the first version is added. */
  readonly version: number;
  /**
   * The payload of the creation, from which the project can be copied. Absent if there was no payload or if it is
   * deleted.
   */
  readonly created_with?: SaltedPayload & { readonly name: string };
  /** Set only for the project of a document in a request of a render. No list shows it. */
  readonly inline?: true;
  /** Set only after an erasure: the project has no name and no versions, and accepts no new ones. */
  readonly erased?: ErasureOrigin;
};

/** Who erased an entity, and with which event. Follow-up events name both. */
export type ErasureOrigin = { readonly at: number; readonly by: string; readonly event_id: string };

export const isErased = (entity: { readonly erased?: ErasureOrigin } | null): boolean =>
  entity !== null && entity.erased !== undefined;

export type NamedProject = Project & { readonly name: string };

export const hasName = (project: Project): project is NamedProject => project.name !== null;

/** `id` is `<project_id>:<version>`. Immutable. */
export type ProjectVersion = {
  readonly kind: 'project_version';
  readonly id: string;
  readonly project_id: string;
  readonly version: number;
  readonly document: string | null;
  readonly document_sha256: string | null;
  readonly created_at: number;
  /** The payload with the document. Absent if the event has the document itself, or if the payload is deleted. */
  readonly payload?: SaltedPayload;
  /** The actor of the event. Absent in documents that an older projector folded. */
  readonly added_by?: string;
  /** `<team_id>/<sha256>` of its assets. Absent without assets, and in documents that an older projector folded. */
  readonly asset_keys?: readonly string[];
};

/** The thumbnail of the newest version that has one. `id` is the project's. */
export type ProjectThumbnail = {
  readonly kind: 'project_thumbnail';
  readonly id: string;
  readonly version: number;
  readonly path: string;
  readonly content_type: string;
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
  readonly made_at: number;
};

/**
 * A person who owns an account or is a member of its teams, now or in the past. `id` is `<account_id>/<user_id>`.
 * `teams` counts current memberships.
 */
export type AccountMember = {
  readonly kind: 'account_member';
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string;
  readonly owner: boolean;
  readonly owner_since: number | null;
  readonly teams: number;
};

/** The counts that an account's limits apply to. `id` is the account's. */
export type AccountUsage = {
  readonly kind: 'account_usage';
  readonly id: string;
  readonly owners: number;
  /** Owners and team members. Each person counts once. */
  readonly members: number;
  readonly teams: number;
  /** Without erased projects. */
  readonly projects: number;
  /** Projects of documents in requests of renders, which `projects` omits. Absent without any. */
  readonly inline_projects?: number;
  /** Without deleted endpoints. */
  readonly endpoints: number;
  /** Keys that never expire, without revoked and rotated keys. */
  readonly lasting_keys: number;
  /** Expiry times of the other keys, ms since the epoch, ascending. Some may be in the past. */
  readonly ending_keys: readonly number[];
  readonly rotated_keys: readonly number[];
  /** Invitations that are neither accepted nor revoked. Some may be expired. */
  readonly invitations: readonly { readonly id: string; readonly expires_at: number }[];
};

export type AccountLimits = { readonly kind: 'account_limits'; readonly id: string } & {
  readonly [R in Exclude<LimitedResource, 'inline_projects'>]: number | null;
} & {
  /** Absent in documents that an older projector folded. */
  readonly inline_projects?: number | null;
};

/** An account's settings for retention and for names of downloads. `id` is the account's. */
export type AccountRetention = {
  readonly kind: 'account_retention';
  readonly id: string;
  /** Days; null means the default. `media` and `deliveries` have the same form. */
  readonly outputs: number | null;
  readonly media: number | null;
  readonly deliveries?: number | null;
  readonly downloads_named_by?: DownloadNameSource;
  /**
   * The service deleted the outputs of renders that ended up to this time, ms since the epoch; 0 if it deleted none. A
   * longer retention does not restore them.
   */
  readonly outputs_gone_until: number;
};

export type TeamRoster = {
  readonly kind: 'team_roster';
  readonly id: string;
  readonly members: number;
  readonly admins: number;
};

/**
 * Valid personal keys of one member in one team. They lose the team when the membership ends. `id` is the membership's.
 */
export type MemberKeys = {
  readonly kind: 'member_keys';
  readonly id: string;
  readonly keys: readonly { readonly id: string; readonly expires_at: number | null }[];
};

export type Invitation = {
  readonly kind: 'invitation';
  readonly id: string;
  readonly account_id: string;
  readonly team_id: string | null;
  readonly role: InvitationRole;
  readonly token_sha256: string;
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly accepted_at: number | null;
  readonly accepted_by: string | null;
};

/** An external identity that a user signs in with. `id` is the keyed hash of the identity. */
export type Identity = {
  readonly kind: 'identity';
  readonly id: string;
  readonly user_id: string;
  readonly linked_at: number;
  readonly unlinked_at: number | null;
};

export type UserIdentities = {
  readonly kind: 'user_identities';
  readonly id: string;
  readonly identity_ids: readonly string[];
};

export type Entity =
  | Account
  | CreditGrant
  | Team
  | User
  | Membership
  | ApiKey
  | Project
  | ProjectVersion
  | ProjectThumbnail
  | WebhookEndpoint
  | TeamWebhooks
  | AccountMember
  | AccountUsage
  | AccountLimits
  | AccountRetention
  | TeamRoster
  | MemberKeys
  | Invitation
  | Identity
  | UserIdentities;
export type EntityKind = Entity['kind'];
export type EntityOf<K extends EntityKind> = Extract<Entity, { kind: K }>;
export type EntityRef = { readonly kind: EntityKind; readonly id: string };

export const isOfKind =
  <K extends EntityKind>(kind: K) =>
  (entity: Entity): entity is EntityOf<K> =>
    entity.kind === kind;

export const creditGrantId = (account_id: string, grant_id: string): string => `${account_id}/${grant_id}`;
export const membershipId = (team_id: string, user_id: string): string => `${team_id}/${user_id}`;
export const accountMemberId = (account_id: string, user_id: string): string => `${account_id}/${user_id}`;
export const projectVersionId = (project_id: string, version: number): string => `${project_id}:${version}`;
