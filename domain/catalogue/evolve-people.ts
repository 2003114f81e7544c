import { canInviterStillInvite } from './authority.ts';
import {
  type AccountMember,
  type AccountRetention,
  accountMemberId,
  type Entity,
  type Invitation,
  membershipId,
} from './entities.ts';
import type {
  AccountLimitSet,
  AccountOwnerAdded,
  AccountOwnerRemoved,
  AccountRetentionSet,
  DeliveryRetentionSet,
  DownloadNamingSet,
  IdentityLinked,
  IdentityUnlinked,
  InvitationAccepted,
  InvitationCreated,
  InvitationRevoked,
} from './events.ts';
import { MAX_IDENTITIES, MAX_INVITATION_MS, MAX_LIMITS } from './limits.ts';
import {
  downloadNameSourceOf,
  MAX_DELIVERY_RETENTION_DAYS,
  MAX_RETENTION_DAYS,
  outputsDeletedUntil,
} from './retention.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

const defaultRetention = (id: string): AccountRetention => ({
  ...{ kind: 'account_retention', id, outputs: null, media: null, outputs_gone_until: 0 },
});

export const evolveRetentionSet = (
  view: CatalogueView,
  { account_id, what, days }: AccountRetentionSet,
  at: number,
): CatalogueVerdict => {
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if (days !== null && (days < 1 || days > MAX_RETENTION_DAYS)) return ignoredVerdict('retention_out_of_range');
  const known = view('account_retention', account_id);
  if ((known?.[what] ?? null) === days) return ignoredVerdict('already_so');
  const before = known ?? defaultRetention(account_id);
  return acceptedVerdict({ ...before, [what]: days, outputs_gone_until: outputsDeletedUntil(known, at) });
};

export const evolveDeliveryRetentionSet = (
  view: CatalogueView,
  { account_id, days }: DeliveryRetentionSet,
  at: number,
): CatalogueVerdict => {
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if (days !== null && (days < 1 || days > MAX_DELIVERY_RETENTION_DAYS))
    return ignoredVerdict('retention_out_of_range');
  const known = view('account_retention', account_id);
  if ((known?.deliveries ?? null) === days) return ignoredVerdict('already_so');
  const before = known ?? defaultRetention(account_id);
  return acceptedVerdict({ ...before, deliveries: days, outputs_gone_until: outputsDeletedUntil(known, at) });
};

export const evolveDownloadNamingSet = (
  view: CatalogueView,
  { account_id, named_by }: DownloadNamingSet,
): CatalogueVerdict => {
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  const known = view('account_retention', account_id);
  if (downloadNameSourceOf(known) === named_by) return ignoredVerdict('already_so');
  return acceptedVerdict({ ...(known ?? defaultRetention(account_id)), downloads_named_by: named_by });
};

const madeOwner = (view: CatalogueView, account_id: string, user_id: string, at: number): AccountMember | null => {
  const id = accountMemberId(account_id, user_id);
  const known = view('account_member', id);
  if (known?.owner === true) return null;
  return { kind: 'account_member', id, account_id, user_id, owner: true, owner_since: at, teams: known?.teams ?? 0 };
};

export const evolveOwnerAdded = (view: CatalogueView, event: AccountOwnerAdded, at: number): CatalogueVerdict => {
  const { account_id, user_id } = event;
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if (view('user', user_id) === null) return ignoredVerdict('user_unknown');
  const owner = madeOwner(view, account_id, user_id, at);
  return owner === null ? ignoredVerdict('already_owner') : acceptedVerdict(owner);
};

export const evolveOwnerRemoved = (
  view: CatalogueView,
  { account_id, user_id }: AccountOwnerRemoved,
): CatalogueVerdict => {
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  const member = view('account_member', accountMemberId(account_id, user_id));
  if (member?.owner !== true) return ignoredVerdict('not_an_owner');
  return acceptedVerdict({ ...member, owner: false });
};

export const evolveInvitationCreated = (
  view: CatalogueView,
  event: InvitationCreated,
  at: number,
): CatalogueVerdict => {
  const { invitation_id: id, account_id, team_id, role, token_sha256, expires_at, meta } = event;
  if (view('invitation', id) !== null) return ignoredVerdict('already_exists');
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if ((role === 'owner') !== (team_id === null)) return ignoredVerdict('role_unfit');
  const team = team_id === null ? null : view('team', team_id);
  if (team_id !== null && team === null) return ignoredVerdict('team_unknown');
  if (team !== null && team.account_id !== account_id) return ignoredVerdict('team_of_another_account');
  const ends = Math.min(expires_at, at + MAX_INVITATION_MS);
  if (ends <= at) return ignoredVerdict('invitation_expired');
  const of = { account_id, team_id, role, token_sha256, invited_by: meta.actor, created_at: at, expires_at: ends };
  return acceptedVerdict({ kind: 'invitation', id, ...of, revoked_at: null, accepted_at: null, accepted_by: null });
};

export const evolveInvitationRevoked = (
  view: CatalogueView,
  event: InvitationRevoked,
  at: number,
): CatalogueVerdict => {
  const invitation = view('invitation', event.invitation_id);
  if (invitation === null) return ignoredVerdict('invitation_unknown');
  if (invitation.accepted_at !== null) return ignoredVerdict('invitation_accepted');
  return invitation.revoked_at === null
    ? acceptedVerdict({ ...invitation, revoked_at: at })
    : ignoredVerdict('already_revoked');
};

const admitted = (view: CatalogueView, invitation: Invitation, user_id: string, at: number): Entity | null => {
  const { account_id, team_id, role } = invitation;
  if (team_id === null || role === 'owner') return madeOwner(view, account_id, user_id, at);
  const id = membershipId(team_id, user_id);
  if (view('membership', id)?.removed === false) return null;
  return { kind: 'membership', id, team_id, user_id, role, joined_at: at, removed: false };
};

export const evolveInvitationAccepted = (
  view: CatalogueView,
  event: InvitationAccepted,
  at: number,
): CatalogueVerdict => {
  const { invitation_id, user_id } = event;
  const invitation = view('invitation', invitation_id);
  if (invitation === null) return ignoredVerdict('invitation_unknown');
  if (invitation.revoked_at !== null) return ignoredVerdict('invitation_revoked');
  if (invitation.accepted_at !== null) return ignoredVerdict('invitation_accepted');
  if (invitation.expires_at <= at) return ignoredVerdict('invitation_expired');
  if (view('user', user_id) === null) return ignoredVerdict('user_unknown');
  if (!canInviterStillInvite(view, invitation)) return ignoredVerdict('inviter_lost_role');
  const admission = admitted(view, invitation, user_id, at);
  // The user already has this role. The invitation was meant for another person, so it stays open.
  if (admission === null) return ignoredVerdict(invitation.team_id === null ? 'already_owner' : 'already_member');
  return acceptedVerdict({ ...invitation, accepted_at: at, accepted_by: user_id }, admission);
};

export const evolveIdentityLinked = (view: CatalogueView, event: IdentityLinked, at: number): CatalogueVerdict => {
  const { identity_id: id, user_id } = event;
  if (view('user', user_id) === null) return ignoredVerdict('user_unknown');
  const known = view('identity', id);
  if (known !== null && known.unlinked_at === null)
    return ignoredVerdict(known.user_id === user_id ? 'already_so' : 'identity_of_another_user');
  const identity_ids = view('user_identities', user_id)?.identity_ids ?? [];
  if (identity_ids.length >= MAX_IDENTITIES) return ignoredVerdict('too_many_identities');
  return acceptedVerdict(
    { kind: 'identity', id, user_id, linked_at: at, unlinked_at: null },
    { kind: 'user_identities', id: user_id, identity_ids: [...identity_ids, id] },
  );
};

/**
 * @param is_own true if the user is the actor: users may not unlink their last identity, because they could never sign
 * in again
 */
export const evolveIdentityUnlinked = (
  view: CatalogueView,
  { identity_id, user_id }: IdentityUnlinked,
  at: number,
  is_own: boolean,
): CatalogueVerdict => {
  const known = view('identity', identity_id);
  if (known === null) return ignoredVerdict('identity_unknown');
  if (known.user_id !== user_id) return ignoredVerdict('identity_of_another_user');
  if (known.unlinked_at !== null) return ignoredVerdict('already_so');
  const left = (view('user_identities', user_id)?.identity_ids ?? []).filter((id) => id !== identity_id);
  if (is_own && left.length === 0) return ignoredVerdict('last_identity');
  return acceptedVerdict({ ...known, unlinked_at: at }, { kind: 'user_identities', id: user_id, identity_ids: left });
};

const NO_LIMITS_SET = { keys: null, endpoints: null, teams: null, projects: null, members: null };

export const evolveLimitSet = (
  view: CatalogueView,
  { account_id, resource, most }: AccountLimitSet,
): CatalogueVerdict => {
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if (most !== null && (most < 0 || most > MAX_LIMITS[resource])) return ignoredVerdict('limit_out_of_range');
  const limits = view('account_limits', account_id);
  if ((limits?.[resource] ?? null) === most) return ignoredVerdict('already_so');
  const before = limits ?? { kind: 'account_limits' as const, id: account_id, ...NO_LIMITS_SET };
  return acceptedVerdict({ ...before, [resource]: most });
};
