import type { PayloadRef } from '../event/payload.ts';
import type { TeamWebhooks, WebhookEndpoint } from '../webhooks/endpoint.ts';
import type { Role } from './events.ts';

/** Entities of the catalogue as the fold leaves them. Times are append times, ms since the epoch. */
export type Account = {
  readonly kind: 'account';
  readonly id: string;
  readonly name: string;
  readonly unlimited_credits: boolean;
  readonly granted_credits: number;
  readonly created_at: number;
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
  readonly name: string;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
  /** 0 until the first version is added. */
  readonly version: number;
};

/** `id` is `<project_id>:<version>`. Never changes once added. */
export type ProjectVersion = {
  readonly kind: 'project_version';
  readonly id: string;
  readonly project_id: string;
  readonly version: number;
  readonly document: string;
  readonly document_sha256: string;
  readonly created_at: number;
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
  | TeamWebhooks;
export type EntityKind = Entity['kind'];
export type EntityOf<K extends EntityKind> = Extract<Entity, { kind: K }>;
export type EntityRef = { readonly kind: EntityKind; readonly id: string };

export const isOfKind =
  <K extends EntityKind>(kind: K) =>
  (entity: Entity): entity is EntityOf<K> =>
    entity.kind === kind;

export const creditGrantId = (account_id: string, grant_id: string): string => `${account_id}/${grant_id}`;
export const membershipId = (team_id: string, user_id: string): string => `${team_id}/${user_id}`;
export const projectVersionId = (project_id: string, version: number): string => `${project_id}:${version}`;
