import type { PayloadRef, SaltedPayload } from '../event/payload.ts';
import type { TeamWebhooks, WebhookEndpoint } from '../webhooks/endpoint.ts';
import type { InvitationRole, LimitedResource, NamedBy, Role } from './events.ts';

/** Entities of the catalogue as the fold leaves them. Times are append times, ms since the epoch. */
export type Account = {
  readonly kind: 'account';
  readonly id: string;
  /** Empty once the account was erased. */
  readonly name: string;
  readonly unlimited_credits: boolean;
  readonly granted_credits: number;
  readonly created_at: number;
  /** Then nothing is given to it or made in it, and what it has ends. Left out before. */
  readonly erased?: Erased;
};

/** `id` is `<account_id>/<grant_id>`; its being there makes a repeat of the grant void. */
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
  /** Then the user is given nothing any more, may do nothing, and loses what they have. Left out before. */
  readonly erased?: Erased;
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
  /** The key that was issued in its place. */
  readonly replaced_by: string | null;
};

export type Project = {
  readonly kind: 'project';
  readonly id: string;
  readonly team_id: string;
  /** Null once the project was erased, and where its payload is missing: the project is then shown to nobody. */
  readonly name: string | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
  /** 0 until the first version is added. */
  readonly version: number;
  /** What it was created with, so that it can be copied; left out where that is not a payload, or not there any more. */
  readonly created_with?: SaltedPayload & { readonly name: string };
  /** Then the project has no name, its versions are not there any more, and none follows. Left out before. */
  readonly erased?: Erased;
};

/** By whom something was erased, and with which event, so that what follows from it can name them. */
export type Erased = { readonly at: number; readonly by: string; readonly event_id: string };

/** An account, user or project; null for one that does not exist. */
export const isErased = (entity: { readonly erased?: Erased } | null): boolean =>
  entity !== null && entity.erased !== undefined;

export type ShownProject = Project & { readonly name: string };

export const isShown = (project: Project): project is ShownProject => project.name !== null;

/** `id` is `<project_id>:<version>`. Never changes once added. */
export type ProjectVersion = {
  readonly kind: 'project_version';
  readonly id: string;
  readonly project_id: string;
  readonly version: number;
  /** Null where its payload is not there any more, like its hash. */
  readonly document: string | null;
  readonly document_sha256: string | null;
  readonly created_at: number;
  /** It is the document. Left out where the document is of the event, or not there any more. */
  readonly payload?: SaltedPayload;
};

/** The thumbnail of a project: of the newest version that has one. `id` is the project's. */
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
 * A user in an account: who owns it, is a member of teams of it, or was. `id` is `<account_id>/<user_id>`. `teams`: how
 * many teams of the account the user is a member of now.
 */
export type AccountMember = {
  readonly kind: 'account_member';
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string;
  readonly owner: boolean;
  /** When the user last became one; null for who never was. */
  readonly owner_since: number | null;
  readonly teams: number;
};

/** What an account has. `id` is the account's. */
export type AccountUsage = {
  readonly kind: 'account_usage';
  readonly id: string;
  readonly owners: number;
  /** Owners and members of teams, each person once. */
  readonly members: number;
  readonly teams: number;
  /** Those that are not erased. */
  readonly projects: number;
  /** Those that are not deleted. */
  readonly endpoints: number;
  /** Keys that are not revoked and were not rotated, and never expire. */
  readonly lasting_keys: number;
  /** When those that do expire do so, ms since the epoch, in order; some may be over. */
  readonly ending_keys: readonly number[];
  /** The same of keys that were rotated and still go on. */
  readonly rotated_keys: readonly number[];
  /** Neither accepted nor revoked; some may be over. */
  readonly invitations: readonly { readonly id: string; readonly expires_at: number }[];
};

/** The limits of an account that differ from the default. `id` is the account's. */
export type AccountLimits = { readonly kind: 'account_limits'; readonly id: string } & {
  readonly [R in LimitedResource]: number | null;
};

/** How long an account keeps what its renders have, after their end, and where their names are shown. `id` is the account's. */
export type AccountRetention = {
  readonly kind: 'account_retention';
  readonly id: string;
  /** Days; null for the default. */
  readonly outputs: number | null;
  readonly media: number | null;
  /** At most, of what endpoints answered to deliveries of webhooks. */
  readonly deliveries?: number | null;
  /** Whether the files of downloads have the name of the render or project, or its id. If absent, the name. */
  readonly downloads_named_by?: NamedBy;
  /**
   * Outputs of renders that had ended by then (ms) are gone, whatever is set now: a longer time does not bring them back.
   * 0 where none are.
   */
  readonly outputs_gone_until: number;
};

/** How many present members a team has, and how many of them are admins. `id` is the team's. */
export type TeamRoster = {
  readonly kind: 'team_roster';
  readonly id: string;
  readonly members: number;
  readonly admins: number;
};

/** Keys that end with a membership, as far as they are in force. `id` is the membership's. */
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
  /** The actor of its creation. */
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly accepted_at: number | null;
  readonly accepted_by: string | null;
};

/** Whom a user signs in as. `id` is the hash of the identity. */
export type Identity = {
  readonly kind: 'identity';
  readonly id: string;
  readonly user_id: string;
  readonly linked_at: number;
  /** It may be linked again, to another user too. */
  readonly unlinked_at: number | null;
};

/** What is linked to a user now. `id` is the user's. */
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
