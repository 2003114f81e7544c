import type { Entity, EntityKind } from './entities.ts';

/** Why an event of the catalogue was not legal where it stands. Those of repeats begin with `already_`. */
export type CatalogueReason =
  | 'already_exists'
  | 'already_so'
  | 'account_unknown'
  | 'team_unknown'
  | 'user_unknown'
  | 'key_unknown'
  | 'project_unknown'
  | 'project_erased'
  | 'already_erased'
  | 'already_granted'
  | 'credits_not_positive'
  | 'already_member'
  | 'not_a_member'
  | 'no_teams'
  | 'too_many_teams_of_key'
  | 'team_of_another_account'
  | 'already_revoked'
  | 'already_rotated'
  | 'key_revoked'
  | 'key_expired'
  | 'secret_in_use'
  | 'base_version_outdated'
  | 'version_unknown'
  | 'already_made'
  | 'newer_one_made'
  | 'endpoint_unknown'
  | 'endpoint_deleted'
  | 'endpoint_of_another_team'
  | 'too_many_endpoints'
  | 'url_not_https'
  | 'no_events'
  | 'event_unknown'
  | 'no_rotation'
  | 'enabled_meanwhile'
  | 'operator_needed'
  | 'owner_needed'
  | 'admin_needed'
  | 'member_needed'
  | 'own_user_needed'
  | 'actor_unfit'
  | 'id_unfit'
  | 'not_of_account'
  | 'already_owner'
  | 'not_an_owner'
  | 'last_owner'
  | 'last_admin'
  | 'role_unfit'
  | 'invitation_unknown'
  | 'invitation_accepted'
  | 'invitation_revoked'
  | 'invitation_expired'
  | 'inviter_lost_role'
  | 'identity_unknown'
  | 'identity_of_another_user'
  | 'last_identity'
  | 'limit_out_of_range'
  | 'retention_out_of_range'
  | 'too_many_keys'
  | 'too_many_endpoints_of_account'
  | 'too_many_teams'
  | 'too_many_projects'
  | 'too_many_members'
  | 'too_many_invitations'
  | 'too_many_identities';

export type CatalogueVerdict =
  | { readonly tag: 'accepted'; readonly changes: readonly Entity[] }
  | { readonly tag: 'ignored'; readonly reason: CatalogueReason };

/** What the fold knows of the entities that an event refers to. */
export type CatalogueView = <K extends EntityKind>(kind: K, id: string) => Extract<Entity, { kind: K }> | null;

export const accepted = (...changes: readonly Entity[]): CatalogueVerdict => ({ tag: 'accepted', changes });
export const ignored = (reason: CatalogueReason): CatalogueVerdict => ({ tag: 'ignored', reason });
