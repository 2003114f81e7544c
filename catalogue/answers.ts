import { knownScopes } from '../domain/access/scopes.ts';
import type {
  Account,
  AccountMember,
  ApiKey,
  CreditGrant,
  EntityOf,
  Identity,
  Invitation,
  Membership,
  NamedProject,
  Team,
  User,
} from '../domain/catalogue/entities.ts';
import type { DownloadNameSource, LimitedResource } from '../domain/catalogue/events.ts';
import type { RetentionKind } from '../domain/catalogue/retention.ts';
import { balanceCredits } from '../domain/credits/balance.ts';
import {
  currentDisabledPeriod,
  isRotationOver,
  ROTATION_MS,
  signingSecrets,
  subscribedEvents,
  type WebhookEndpoint,
} from '../domain/webhooks/endpoint.ts';
import { sealingKeyName } from '../platform/secrets/sealed-secret.ts';
import type { FailingDeliveries } from '../read-models/catalogue/management.ts';
import type { LedgerDocument } from '../read-models/renders/documents.ts';
import type { Profile } from '../schemas/blobs/payloads.ts';
import type { Endpoint } from '../schemas/http/management/endpoints.ts';

/** An erased account has `erased_at`, and an empty name. */
export const accountView = ({ id, name, unlimited_credits, granted_credits, created_at, erased }: Account) => ({
  id,
  name,
  unlimited_credits,
  granted_credits,
  created_at,
  ...(erased !== undefined && { erased_at: erased.at }),
});
export type AccountView = ReturnType<typeof accountView>;

export const creditsView = (account: AccountView, ledger: readonly LedgerDocument[]) => {
  const charged_credits = ledger.reduce((sum, document) => sum + document.charged_credits, 0);
  const reserved_credits = ledger.reduce((sum, document) => sum + document.reserved_credits, 0);
  const left_credits = account.unlimited_credits ? null : balanceCredits(account.granted_credits, ledger);
  return { ...account, charged_credits, reserved_credits, left_credits };
};
export type CreditsView = ReturnType<typeof creditsView>;

export const grantView = ({ id, account_id, credits, created_at }: CreditGrant) => ({
  id: id.slice(account_id.length + 1),
  account_id,
  credits,
  created_at,
});
export type GrantView = ReturnType<typeof grantView>;

export const teamView = ({ id, name, account_id, created_at }: Team) => ({
  id,
  name,
  account_id,
  created_at,
});
export type TeamView = ReturnType<typeof teamView>;

/** @param profile from the payload */
export const userView = ({ id, created_at }: User, { email, name }: Profile) => ({ id, email, name, created_at });
export type UserView = ReturnType<typeof userView>;

export const memberView = ({ team_id, user_id, role, joined_at }: Membership) => ({
  team_id,
  user_id,
  role,
  joined_at,
});
export type MemberView = ReturnType<typeof memberView>;

export const ownerView = ({ account_id, user_id, owner_since }: AccountMember) => ({
  account_id,
  user_id,
  owner_since,
});
export type OwnerView = ReturnType<typeof ownerView>;

export type RetentionView = {
  readonly what: RetentionKind;
  /**
   * Null means the default: outputs are kept forever, media for a time that the installation sets, answers of endpoints
   * as long as their deliveries.
   */
  readonly days: number | null;
  /** Set only for outputs. The outputs of renders that ended at or before this time (ms) are deleted; 0 if none are. */
  readonly gone_until?: number;
};

export type DownloadNamingView = { readonly named_by: DownloadNameSource };

export type LimitView = {
  readonly resource: LimitedResource;
  readonly used: number;
  readonly most: number;
  readonly is_default: boolean;
};

/** Without the token. `invited_by` is the actor, like `user:…` or `operator:…`. */
export const invitationView = (invitation: Invitation) => {
  const { id, account_id, team_id, role, invited_by, created_at, expires_at, revoked_at, accepted_at } = invitation;
  const { accepted_by } = invitation;
  return { id, account_id, team_id, role, invited_by, created_at, expires_at, revoked_at, accepted_at, accepted_by };
};
export type InvitationView = ReturnType<typeof invitationView>;

/** `id` is a keyed hash, from which only the provider can find the person. */
export const identityView = ({ id, user_id, linked_at, unlinked_at }: Identity) => ({
  id,
  user_id,
  linked_at,
  unlinked_at,
});
export type IdentityView = ReturnType<typeof identityView>;

/** @param last_used_at null if the key was never used, or if its first use was less than a minute ago */
export const keyView = (key: ApiKey, last_used_at: number | null) => ({
  id: key.id,
  name: key.name,
  account_id: key.account_id,
  user_id: key.user_id,
  team_ids: key.team_ids,
  prefix: key.prefix,
  last4: key.last4,
  created_at: key.created_at,
  expires_at: key.expires_at,
  revoked_at: key.revoked_at,
  // Missing in documents older than key rotation.
  replaced_by: key.replaced_by ?? null,
  scopes: knownScopes(key),
  last_used_at,
});
export type KeyView = ReturnType<typeof keyView>;

export const projectView = (project: NamedProject) => ({
  id: project.id,
  name: project.name,
  team_id: project.team_id,
  version: project.version,
  created_by: project.created_by,
  created_at: project.created_at,
  updated_at: project.updated_at,
});
export type ProjectView = ReturnType<typeof projectView>;

/** @param name of the project in the document; null if the document is deleted, or if this code cannot read it */
export const versionView = (
  { version, document_sha256, created_at }: Omit<EntityOf<'project_version'>, 'document'>,
  name: string | null,
) => ({ version, name, document_sha256, created_at });
export type VersionView = ReturnType<typeof versionView>;

const endpointState = ({ deleted_at }: WebhookEndpoint, is_disabled: boolean): Endpoint['state'] => {
  if (deleted_at !== null) return 'deleted';
  return is_disabled ? 'disabled' : 'enabled';
};

/**
 * Secrets are never shown. `sealed_to` has the keys that decrypt the current secrets, newest first. During a
 * `rotation`, the endpoint has a second secret, and uses the old one until `until` at the latest.
 *
 * @param now ms since the epoch
 */
export const endpointView = (endpoint: WebhookEndpoint, now: number) => {
  const { id, team_id, url, created_at, deleted_at, next_secret } = endpoint;
  const disabled = currentDisabledPeriod(endpoint);
  return {
    id,
    team_id,
    url,
    events: subscribedEvents(endpoint),
    state: endpointState(endpoint, disabled !== null),
    disabled: disabled === null ? null : { since: disabled.from, reason: disabled.reason },
    rotation:
      next_secret === null || isRotationOver(endpoint, now)
        ? null
        : { since: next_secret.since, until: next_secret.since + ROTATION_MS },
    sealed_to: deleted_at !== null ? [] : [...new Set(signingSecrets(endpoint, now).standard.map(sealingKeyName))],
    created_at,
    deleted_at,
  };
};
export type EndpointView = ReturnType<typeof endpointView>;

/** `failing` counts the deliveries that used up all attempts since the last success; null without any. */
export const endpointHistoryView = (endpoint: WebhookEndpoint, failing: FailingDeliveries | null, now: number) => ({
  ...endpointView(endpoint, now),
  failing,
  subscriptions: endpoint.subscriptions,
  disabled_periods: endpoint.disabled,
});
export type EndpointHistoryView = ReturnType<typeof endpointHistoryView>;
