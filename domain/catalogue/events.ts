import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { PayloadRef } from '../event/payload.ts';

export const Role = t.keyof({ admin: null, member: null });
export type Role = t.TypeOf<typeof Role>;

export const AccountCreated = t.strict({
  type: t.literal('AccountCreated'),
  meta: Meta,
  account_id: t.string,
  name: t.string,
  /** Such an account is never refused for want of credits; it is charged all the same. */
  unlimited_credits: t.boolean,
});
export type AccountCreated = t.TypeOf<typeof AccountCreated>;

export const CreditsGranted = t.strict({
  type: t.literal('CreditsGranted'),
  meta: Meta,
  account_id: t.string,
  /** A repeat of the same grant id grants nothing. */
  grant_id: t.string,
  credits: Integer,
});
export type CreditsGranted = t.TypeOf<typeof CreditsGranted>;

export const TeamCreated = t.strict({
  type: t.literal('TeamCreated'),
  meta: Meta,
  team_id: t.string,
  account_id: t.string,
  name: t.string,
});
export type TeamCreated = t.TypeOf<typeof TeamCreated>;

/** The e-mail address is a payload, never part of the log. */
export const UserRegistered = t.strict({
  type: t.literal('UserRegistered'),
  meta: Meta,
  user_id: t.string,
  email: t.union([PayloadRef, t.null]),
});
export type UserRegistered = t.TypeOf<typeof UserRegistered>;

export const MemberAdded = t.strict({
  type: t.literal('MemberAdded'),
  meta: Meta,
  team_id: t.string,
  user_id: t.string,
  role: Role,
});
export type MemberAdded = t.TypeOf<typeof MemberAdded>;

export const MemberRemoved = t.strict({
  type: t.literal('MemberRemoved'),
  meta: Meta,
  team_id: t.string,
  user_id: t.string,
});
export type MemberRemoved = t.TypeOf<typeof MemberRemoved>;

export const ApiKeyIssued = t.strict({
  type: t.literal('ApiKeyIssued'),
  meta: Meta,
  key_id: t.string,
  account_id: t.string,
  user_id: t.union([t.string, t.null]),
  team_ids: t.array(t.string),
  name: t.string,
  /** sha256 of the whole key as shown, lowercase hex. The key itself is stored nowhere. */
  secret_sha256: t.string,
  /** The first seven characters, so that a person can tell keys apart. */
  prefix: t.string,
  last4: t.string,
  /** Milliseconds since the epoch; null for never. */
  expires_at: t.union([Integer, t.null]),
});
export type ApiKeyIssued = t.TypeOf<typeof ApiKeyIssued>;

export const ApiKeyRevoked = t.strict({
  type: t.literal('ApiKeyRevoked'),
  meta: Meta,
  key_id: t.string,
});
export type ApiKeyRevoked = t.TypeOf<typeof ApiKeyRevoked>;

export const ProjectCreated = t.strict({
  type: t.literal('ProjectCreated'),
  meta: Meta,
  project_id: t.string,
  team_id: t.string,
  name: t.string,
  created_by: t.union([t.string, t.null]),
});
export type ProjectCreated = t.TypeOf<typeof ProjectCreated>;

/** A whole new version; legal only on top of `base_version` (0 before the first). */
export const ProjectVersionAdded = t.strict({
  type: t.literal('ProjectVersionAdded'),
  meta: Meta,
  project_id: t.string,
  version: Integer,
  base_version: Integer,
  name: t.string,
  /** Canonical JSON of the project document, at most 256 KiB. */
  document: t.string,
  document_sha256: t.string,
});
export type ProjectVersionAdded = t.TypeOf<typeof ProjectVersionAdded>;

/** Everything that may stand in `catalogue-events`. */
export type CatalogueEvent =
  | AccountCreated
  | CreditsGranted
  | TeamCreated
  | UserRegistered
  | MemberAdded
  | MemberRemoved
  | ApiKeyIssued
  | ApiKeyRevoked
  | ProjectCreated
  | ProjectVersionAdded;

export const CATALOGUE_EVENTS = {
  AccountCreated,
  CreditsGranted,
  TeamCreated,
  UserRegistered,
  MemberAdded,
  MemberRemoved,
  ApiKeyIssued,
  ApiKeyRevoked,
  ProjectCreated,
  ProjectVersionAdded,
} as const;

export const isCatalogueEvent = (record: { readonly type: string }): record is CatalogueEvent =>
  Object.hasOwn(CATALOGUE_EVENTS, record.type);
