import { knownScopes } from '../access/scopes.ts';
import type { Entity } from '../catalogue/entities.ts';
import { isOfKind } from '../catalogue/entities.ts';
import type { CatalogueEventWithTexts } from '../catalogue/events.ts';
import type { CatalogueView } from '../catalogue/verdict.ts';
import { isEventKind } from '../webhooks/event-kinds.ts';

export type AffectedTenants = {
  /** Null when the record concerns only a user, an unknown entity, or entities of different accounts. */
  readonly account_id: string | null;
  /** Every team that the change concerns; for a key, every team that the key reaches. */
  readonly team_ids: readonly string[];
};

/** The details of a change in the audit log: ids, and only values that cannot be secret or personal. */
export type AuditDetails = {
  readonly ids: Readonly<Record<string, string | readonly string[]>>;
  /** Roles, numbers, times (ms since the epoch), and names that the service chose. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
};

export type AuditContent = AffectedTenants & AuditDetails;

const OF_NOBODY: AffectedTenants = { account_id: null, team_ids: [] };

/**
 * The account and teams that a record names, if they exist. A record that claims an account and names teams of another
 * account concerns no one.
 */
const named = (view: CatalogueView, claimed: string | null, team_ids: readonly string[]): AffectedTenants => {
  const teams = team_ids.flatMap((id) => view('team', id) ?? []);
  const account = claimed === null ? null : view('account', claimed);
  const accounts = new Set([...teams.map((team) => team.account_id), ...(account === null ? [] : [account.id])]);
  const [account_id = null] = accounts;
  return accounts.size === 1 ? { account_id, team_ids: [...new Set(teams.map(({ id }) => id))] } : OF_NOBODY;
};

const ofKey = (view: CatalogueView, key_id: string): AffectedTenants => {
  const key = view('api_key', key_id);
  return key === null ? OF_NOBODY : { account_id: key.account_id, team_ids: [...new Set(key.team_ids)] };
};

const ofProject = (view: CatalogueView, project_id: string): AffectedTenants => {
  const project = view('project', project_id);
  return project === null ? OF_NOBODY : named(view, null, [project.team_id]);
};

const ofEndpoint = (view: CatalogueView, endpoint_id: string): AffectedTenants => {
  const endpoint = view('webhook_endpoint', endpoint_id);
  return endpoint === null ? OF_NOBODY : named(view, null, [endpoint.team_id]);
};

const ofInvitation = (view: CatalogueView, invitation_id: string): AffectedTenants => {
  const invitation = view('invitation', invitation_id);
  if (invitation === null) return OF_NOBODY;
  const { account_id, team_id } = invitation;
  return { account_id, team_ids: team_id === null ? [] : [team_id] };
};

/**
 * The account and teams that a catalogue record concerns, as they are after the record. Existing entities decide this,
 * never the claims of the record (ADR 76).
 */
const reachOf = (view: CatalogueView, event: CatalogueEventWithTexts): AffectedTenants => {
  switch (event.type) {
    case 'AccountCreated':
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'CreditsGranted':
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved':
    case 'AccountLimitSet':
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
    case 'AccountErased':
      return named(view, event.account_id, []);
    case 'TeamCreated':
      return named(view, event.account_id, [event.team_id]);
    case 'TeamRenamed':
    case 'MemberAdded':
    case 'MemberRoleChanged':
    case 'MemberRemoved':
      return named(view, null, [event.team_id]);
    case 'ApiKeyIssued':
      return named(view, event.account_id, event.team_ids);
    case 'ApiKeyRotated':
    case 'ApiKeyRevoked':
      return ofKey(view, event.key_id);
    case 'ProjectCreated':
      return named(view, null, [event.team_id]);
    case 'ProjectVersionAdded':
    case 'ProjectThumbnailMade':
    case 'ProjectErased':
      return ofProject(view, event.project_id);
    case 'WebhookEndpointCreated':
      return named(view, null, [event.team_id]);
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
    case 'WebhookEndpointDeleted':
      return ofEndpoint(view, event.endpoint_id);
    case 'InvitationCreated':
      return named(view, event.account_id, event.team_id === null ? [] : [event.team_id]);
    case 'InvitationRevoked':
    case 'InvitationAccepted':
      return ofInvitation(view, event.invitation_id);
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'IdentityLinked':
    case 'IdentityUnlinked':
    case 'UserErased':
      return OF_NOBODY;
  }
};

const CODE = /^[a-z_]{1,40}$/;

const eventsText = (events: readonly string[]): string => [...new Set(events.filter(isEventKind))].join(' ');

const NOTHING = {};

type EventOf<T extends CatalogueEventWithTexts['type']> = Extract<CatalogueEventWithTexts, { type: T }>;

const keyDetails = (event: EventOf<'ApiKeyIssued' | 'ApiKeyRotated' | 'ApiKeyRevoked'>): AuditDetails => {
  switch (event.type) {
    case 'ApiKeyIssued': {
      const { key_id, account_id, user_id, team_ids, expires_at, scopes } = event;
      const user = user_id === null ? {} : { user_id };
      const of_scopes = scopes === null ? {} : { scopes: knownScopes({ scopes }).join(' ') };
      return { ids: { key_id, account_id, ...user, team_ids }, details: { expires_at, ...of_scopes } };
    }
    case 'ApiKeyRotated': {
      const { key_id, new_key_id, expires_at, overlap_until } = event;
      return { ids: { key_id, new_key_id }, details: { expires_at, overlap_until } };
    }
    case 'ApiKeyRevoked':
      return { ids: { key_id: event.key_id }, details: NOTHING };
  }
};

type EndpointEvent = EventOf<
  | 'WebhookEndpointCreated'
  | 'WebhookEventsChosen'
  | 'WebhookEndpointDisabled'
  | 'WebhookSecretRotated'
  | 'WebhookSecretActivated'
  | 'WebhookEndpointEnabled'
  | 'WebhookEndpointDeleted'
>;

const endpointDetails = (event: EndpointEvent): AuditDetails => {
  switch (event.type) {
    case 'WebhookEndpointCreated': {
      const { endpoint_id, team_id, events } = event;
      return { ids: { endpoint_id, team_id }, details: { events: eventsText(events) } };
    }
    case 'WebhookEventsChosen': {
      const { endpoint_id, events } = event;
      return { ids: { endpoint_id }, details: { events: eventsText(events) } };
    }
    case 'WebhookEndpointDisabled': {
      const { endpoint_id, reason } = event;
      return { ids: { endpoint_id }, details: { reason: CODE.test(reason) ? reason : 'other' } };
    }
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointEnabled':
    case 'WebhookEndpointDeleted':
      return { ids: { endpoint_id: event.endpoint_id }, details: NOTHING };
  }
};

/**
 * The audited ids and details of a record. Each type lists its fields explicitly, so that a new field stays out of the
 * audit.
 */
const toldOf = (event: CatalogueEventWithTexts): AuditDetails => {
  switch (event.type) {
    case 'AccountCreated': {
      const { account_id, unlimited_credits } = event;
      return { ids: { account_id }, details: { unlimited_credits } };
    }
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'AccountErased':
      return { ids: { account_id: event.account_id }, details: NOTHING };
    case 'CreditsGranted': {
      const { account_id, grant_id, credits } = event;
      return { ids: { account_id, grant_id }, details: { credits } };
    }
    case 'AccountLimitSet': {
      const { account_id, resource, most } = event;
      return { ids: { account_id }, details: { resource, most } };
    }
    case 'AccountRetentionSet': {
      const { account_id, what, days } = event;
      return { ids: { account_id }, details: { what, days } };
    }
    case 'DeliveryRetentionSet': {
      const { account_id, days } = event;
      return { ids: { account_id }, details: { days } };
    }
    case 'DownloadNamingSet': {
      const { account_id, named_by } = event;
      return { ids: { account_id }, details: { named_by } };
    }
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved': {
      const { account_id, user_id } = event;
      return { ids: { account_id, user_id }, details: NOTHING };
    }
    case 'TeamCreated': {
      const { account_id, team_id } = event;
      return { ids: { account_id, team_id }, details: NOTHING };
    }
    case 'TeamRenamed':
      return { ids: { team_id: event.team_id }, details: NOTHING };
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'IdentityLinked':
    case 'IdentityUnlinked':
    case 'UserErased':
      return { ids: { user_id: event.user_id }, details: NOTHING };
    case 'MemberAdded':
    case 'MemberRoleChanged': {
      const { team_id, user_id, role } = event;
      return { ids: { team_id, user_id }, details: { role } };
    }
    case 'MemberRemoved': {
      const { team_id, user_id } = event;
      return { ids: { team_id, user_id }, details: NOTHING };
    }
    case 'ApiKeyIssued':
    case 'ApiKeyRotated':
    case 'ApiKeyRevoked':
      return keyDetails(event);
    case 'ProjectCreated': {
      const { project_id, team_id } = event;
      return { ids: { project_id, team_id }, details: NOTHING };
    }
    case 'ProjectVersionAdded':
    case 'ProjectThumbnailMade': {
      const { project_id, version } = event;
      return { ids: { project_id }, details: { version } };
    }
    case 'ProjectErased':
      return { ids: { project_id: event.project_id }, details: NOTHING };
    case 'WebhookEndpointCreated':
    case 'WebhookEventsChosen':
    case 'WebhookEndpointDisabled':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointEnabled':
    case 'WebhookEndpointDeleted':
      return endpointDetails(event);
    case 'InvitationCreated': {
      const { invitation_id, account_id, team_id, role, expires_at } = event;
      const team = team_id === null ? {} : { team_id };
      return { ids: { invitation_id, account_id, ...team }, details: { role, expires_at } };
    }
    case 'InvitationRevoked':
      return { ids: { invitation_id: event.invitation_id }, details: NOTHING };
    case 'InvitationAccepted': {
      const { invitation_id, user_id } = event;
      return { ids: { invitation_id, user_id }, details: NOTHING };
    }
  }
};

/**
 * The audit entry of a catalogue record. It never has names, addresses, hashes, URLs or documents.
 *
 * @param view the entities after the record; if the fold ignored the record, the entities before it
 * @param changes the entities that the record changed; empty if the fold ignored it
 */
export const auditContentOf = (
  view: CatalogueView,
  event: CatalogueEventWithTexts,
  changes: readonly Entity[],
): AuditContent => {
  const { ids, details } = toldOf(event);
  const ended = event.type === 'MemberRemoved' ? changes.filter(isOfKind('api_key')).map(({ id }) => id) : [];
  return { ...reachOf(view, event), ids: ended.length === 0 ? ids : { ...ids, ended_key_ids: ended }, details };
};
