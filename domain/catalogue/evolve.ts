import { userOfActor } from '../event/meta.ts';
import type { PayloadRef, SaltedPayload } from '../event/payload.ts';
import { lackingRole } from './authority.ts';
import {
  type ApiKey,
  accountMemberId,
  creditGrantId,
  type EntityKind,
  type EntityRef,
  isErased,
  membershipId,
  projectVersionId,
} from './entities.ts';
import { erasedReceiver, removesOfErased } from './erasure.ts';
import type {
  AccountErased,
  ApiKeyIssued,
  ApiKeyRotated,
  FoldedEvent,
  MemberAdded,
  MemberRemoved,
  MemberRoleChanged,
  ProjectErased,
  ProjectThumbnailMade,
  UserErased,
} from './events.ts';
import { endpointChanged, endpointCreated, endpointDeleted } from './evolve-endpoint.ts';
import {
  deliveryRetentionSet,
  downloadNamingSet,
  identityLinked,
  identityUnlinked,
  invitationAccepted,
  invitationCreated,
  invitationRevoked,
  limitSet,
  ownerAdded,
  ownerRemoved,
  retentionSet,
} from './evolve-people.ts';
import { MAX_TEAMS_OF_A_KEY } from './limits.ts';
import { hasUnfitId, isBound } from './rules.ts';
import { tallied } from './tally.ts';
import { accepted, type CatalogueVerdict, type CatalogueView, ignored } from './verdict.ts';

/** The fold keeps the first still of a version. A still of an older version never replaces a newer one. */
const thumbnailMade = (view: CatalogueView, event: ProjectThumbnailMade, at: number): CatalogueVerdict => {
  const { project_id, version, path, content_type, sha256, width, height } = event;
  const project = view('project', project_id);
  if (project === null) return ignored('project_unknown');
  if (project.erased !== undefined) return ignored('project_erased');
  if (version < 1 || version > project.version) return ignored('version_unknown');
  const shown = view('project_thumbnail', project_id);
  if (shown !== null && shown.version === version) return ignored('already_made');
  if (shown !== null && shown.version > version) return ignored('newer_one_made');
  const still = { path, content_type, sha256, width, height };
  return accepted({ kind: 'project_thumbnail', id: project_id, version, ...still, made_at: at });
};

const ref = (kind: EntityKind, id: string): EntityRef => ({ kind, id });

const sameReference = (a: PayloadRef | null, b: PayloadRef | null): boolean =>
  a === null || b === null ? a === b : a.path === b.path && a.sha256 === b.sha256;

/**
 * The entities that an event names, to load before the fold. `evolveCatalogue` may need entities that these refer to;
 * `noting` in view.ts reports them.
 */
export const entitiesOf = (event: FoldedEvent): readonly EntityRef[] => {
  switch (event.type) {
    case 'AccountCreated':
    case 'AccountRenamed':
    case 'CreditLimitLifted':
    case 'CreditLimitImposed':
    case 'AccountErased':
      return [ref('account', event.account_id)];
    case 'CreditsGranted': {
      const { account_id, grant_id } = event;
      return [ref('account', account_id), ref('credit_grant', creditGrantId(account_id, grant_id))];
    }
    case 'TeamCreated':
      return [ref('team', event.team_id), ref('account', event.account_id)];
    case 'TeamRenamed':
      return [ref('team', event.team_id)];
    case 'UserRegistered':
    case 'UserEmailChanged':
    case 'UserErased':
      return [ref('user', event.user_id)];
    case 'MemberAdded':
    case 'MemberRoleChanged':
    case 'MemberRemoved': {
      const { team_id, user_id } = event;
      return [ref('team', team_id), ref('user', user_id), ref('membership', membershipId(team_id, user_id))];
    }
    case 'ApiKeyIssued': {
      const teams = event.team_ids.map((id) => ref('team', id));
      const users = event.user_id === null ? [] : [ref('user', event.user_id)];
      return [ref('api_key', event.key_id), ref('account', event.account_id), ...users, ...teams];
    }
    case 'ApiKeyRotated':
      return [ref('api_key', event.key_id), ref('api_key', event.new_key_id)];
    case 'ApiKeyRevoked':
      return [ref('api_key', event.key_id)];
    case 'ProjectCreated':
      return [ref('project', event.project_id), ref('team', event.team_id)];
    case 'ProjectVersionAdded':
    case 'ProjectErased':
      return [ref('project', event.project_id)];
    case 'ProjectThumbnailMade':
      return [ref('project', event.project_id), ref('project_thumbnail', event.project_id)];
    case 'WebhookEndpointCreated': {
      const { endpoint_id, team_id } = event;
      return [ref('webhook_endpoint', endpoint_id), ref('team', team_id), ref('team_webhooks', team_id)];
    }
    case 'WebhookEndpointDeleted':
      return [ref('webhook_endpoint', event.endpoint_id), ref('team_webhooks', event.team_id)];
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
      return [ref('webhook_endpoint', event.endpoint_id)];
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved': {
      const { account_id, user_id } = event;
      const member = ref('account_member', accountMemberId(account_id, user_id));
      return [ref('account', account_id), ref('user', user_id), member];
    }
    case 'InvitationCreated': {
      const teams = event.team_id === null ? [] : [ref('team', event.team_id)];
      return [ref('invitation', event.invitation_id), ref('account', event.account_id), ...teams];
    }
    case 'InvitationRevoked':
      return [ref('invitation', event.invitation_id)];
    case 'InvitationAccepted':
      return [ref('invitation', event.invitation_id), ref('user', event.user_id)];
    case 'IdentityLinked':
    case 'IdentityUnlinked': {
      const { identity_id, user_id } = event;
      return [ref('identity', identity_id), ref('user', user_id), ref('user_identities', user_id)];
    }
    case 'AccountLimitSet':
      return [ref('account', event.account_id), ref('account_limits', event.account_id)];
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
      return [ref('account', event.account_id), ref('account_retention', event.account_id)];
  }
};

const memberAdded = (view: CatalogueView, event: MemberAdded, at: number): CatalogueVerdict => {
  const { team_id, user_id, role } = event;
  const id = membershipId(team_id, user_id);
  if (view('team', team_id) === null) return ignored('team_unknown');
  if (view('user', user_id) === null) return ignored('user_unknown');
  if (view('membership', id)?.removed === false) return ignored('already_member');
  return accepted({ kind: 'membership', id, team_id, user_id, role, joined_at: at, removed: false });
};

const roleChanged = (view: CatalogueView, { team_id, user_id, role }: MemberRoleChanged): CatalogueVerdict => {
  const membership = view('membership', membershipId(team_id, user_id));
  if (view('team', team_id) === null) return ignored('team_unknown');
  if (view('user', user_id) === null) return ignored('user_unknown');
  if (membership === null || membership.removed) return ignored('not_a_member');
  return membership.role === role ? ignored('already_so') : accepted({ ...membership, role });
};

/** A personal key needs a membership in each of its teams. Keys from before rules 1 may lack it. */
const isOfMember = (view: CatalogueView, { user_id, team_ids }: Pick<ApiKey, 'user_id' | 'team_ids'>): boolean =>
  user_id === null || team_ids.every((id) => view('membership', membershipId(id, user_id))?.removed === false);

const keyIssued = (view: CatalogueView, event: ApiKeyIssued, at: number, is_bound: boolean): CatalogueVerdict => {
  const { account_id, user_id, team_ids, name, secret_sha256, prefix, last4, expires_at } = event;
  if (view('api_key', event.key_id) !== null) return ignored('already_exists');
  if (view('account', account_id) === null) return ignored('account_unknown');
  if (user_id !== null && view('user', user_id) === null) return ignored('user_unknown');
  if (team_ids.length === 0) return ignored('no_teams');
  if (is_bound && team_ids.length > MAX_TEAMS_OF_A_KEY) return ignored('too_many_teams_of_key');
  const teams = team_ids.map((id) => view('team', id));
  if (teams.includes(null)) return ignored('team_unknown');
  if (teams.some((team) => team?.account_id !== account_id)) return ignored('team_of_another_account');
  if (is_bound && !isOfMember(view, event)) return ignored('not_a_member');
  const key = { account_id, user_id, team_ids, name, secret_sha256, prefix, last4, expires_at };
  return accepted({ kind: 'api_key', id: event.key_id, ...key, created_at: at, revoked_at: null, replaced_by: null });
};

const keyRotated = (view: CatalogueView, event: ApiKeyRotated, at: number, is_bound: boolean): CatalogueVerdict => {
  const { new_key_id, secret_sha256, prefix, last4, expires_at, overlap_until } = event;
  const old = view('api_key', event.key_id);
  if (view('api_key', new_key_id) !== null) return ignored('already_exists');
  if (old === null) return ignored('key_unknown');
  // Undefined in documents from before keys could be rotated.
  if ((old.replaced_by ?? null) !== null) return ignored('already_rotated');
  if (old.revoked_at !== null) return ignored('key_revoked');
  if (old.expires_at !== null && old.expires_at <= at) return ignored('key_expired');
  if (old.secret_sha256 === secret_sha256) return ignored('secret_in_use');
  if (is_bound && !isOfMember(view, old)) return ignored('not_a_member');
  const ended =
    overlap_until <= at ? { revoked_at: at } : { expires_at: Math.min(overlap_until, old.expires_at ?? overlap_until) };
  return accepted(
    { ...old, ...ended, replaced_by: new_key_id },
    { ...old, id: new_key_id, secret_sha256, prefix, last4, expires_at, created_at: at },
  );
};

/** Personal keys end with the membership: each key loses the team. A key that loses its last team is revoked. */
const memberRemoved = (view: CatalogueView, event: MemberRemoved, at: number): CatalogueVerdict => {
  const { team_id, user_id } = event;
  const id = membershipId(team_id, user_id);
  const membership = view('membership', id);
  if (membership === null || membership.removed) return ignored('not_a_member');
  const ended = (view('member_keys', id)?.keys ?? []).flatMap((listed): readonly ApiKey[] => {
    const key = view('api_key', listed.id);
    if (key === null || key.revoked_at !== null) return [];
    const team_ids = key.team_ids.filter((one) => one !== team_id);
    return [team_ids.length === 0 ? { ...key, revoked_at: at } : { ...key, team_ids }];
  });
  return accepted({ ...membership, removed: true }, ...ended);
};

type FoldedOf<T extends FoldedEvent['type']> = Extract<FoldedEvent, { type: T }>;

/** The payload of an event with its salt. Null if the event has its own texts; `missing` if the payload is deleted. */
const payloadRead = ({
  payload,
  salt,
}: FoldedOf<'ProjectCreated' | 'ProjectVersionAdded'>): SaltedPayload | null | 'missing' => {
  if (payload === null) return null;
  return salt === undefined ? 'missing' : { ...payload, salt };
};

const projectCreated = (view: CatalogueView, event: FoldedOf<'ProjectCreated'>, at: number): CatalogueVerdict => {
  const { project_id: id, team_id, name, created_by } = event;
  if (view('project', id) !== null) return ignored('already_exists');
  if (view('team', team_id) === null) return ignored('team_unknown');
  const fresh = { kind: 'project', id, team_id, created_by, created_at: at, updated_at: null, version: 0 } as const;
  const read = payloadRead(event);
  if (read === 'missing') return accepted({ ...fresh, name: null });
  return accepted({ ...fresh, name, ...(read === null ? {} : { created_with: { ...read, name } }) });
};

const versionAdded = (view: CatalogueView, event: FoldedOf<'ProjectVersionAdded'>, at: number): CatalogueVerdict => {
  const { project_id, version, base_version } = event;
  const project = view('project', project_id);
  if (project === null) return ignored('project_unknown');
  if (project.erased !== undefined) return ignored('project_erased');
  if (base_version !== project.version || version !== base_version + 1) return ignored('base_version_outdated');
  const id = projectVersionId(project_id, version);
  const read = payloadRead(event);
  const { name, document, document_sha256 } =
    read === 'missing' ? { name: null, document: null, document_sha256: null } : event;
  return accepted(
    { ...project, name, version, updated_at: Math.max(at, project.updated_at ?? project.created_at) },
    {
      ...{ kind: 'project_version', id, project_id, version, document, document_sha256, created_at: at },
      ...(read === null || read === 'missing' ? {} : { payload: read }),
    },
  );
};

/** Versions and the thumbnail end too: read models drop them, and no later event needs them. */
const projectErased = (view: CatalogueView, { project_id, meta }: ProjectErased, at: number): CatalogueVerdict => {
  const found = view('project', project_id);
  if (found === null) return ignored('project_unknown');
  if (found.erased !== undefined) return ignored('already_erased');
  const { created_with: _, ...project } = found;
  return accepted({ ...project, name: null, erased: { at, by: meta.actor, event_id: meta.event_id } });
};

/** Drops the reference to the e-mail address. Separate events remove what the user has. */
const userErased = (view: CatalogueView, { user_id, meta }: UserErased, at: number): CatalogueVerdict => {
  const user = view('user', user_id);
  if (user === null) return ignored('user_unknown');
  if (user.erased !== undefined) return ignored('already_erased');
  return accepted({ ...user, email: null, erased: { at, by: meta.actor, event_id: meta.event_id } });
};

/** Granted credits and charges remain. */
const accountErased = (view: CatalogueView, { account_id, meta }: AccountErased, at: number): CatalogueVerdict => {
  const account = view('account', account_id);
  if (account === null) return ignored('account_unknown');
  if (account.erased !== undefined) return ignored('already_erased');
  return accepted({ ...account, name: '', erased: { at, by: meta.actor, event_id: meta.event_id } });
};

/**
 * The changes of an event without its effect on counts.
 *
 * @param is_bound whether rules 1 bind the event
 */
const changedBy = (view: CatalogueView, event: FoldedEvent, at: number, is_bound: boolean): CatalogueVerdict => {
  switch (event.type) {
    case 'AccountCreated': {
      const { account_id: id, name, unlimited_credits } = event;
      if (view('account', id) !== null) return ignored('already_exists');
      return accepted({ kind: 'account', id, name, unlimited_credits, granted_credits: 0, created_at: at });
    }
    case 'AccountRenamed': {
      const { name } = event;
      const account = view('account', event.account_id);
      if (account === null) return ignored('account_unknown');
      return account.name === name ? ignored('already_so') : accepted({ ...account, name });
    }
    case 'CreditLimitLifted':
    case 'CreditLimitImposed': {
      const unlimited_credits = event.type === 'CreditLimitLifted';
      const account = view('account', event.account_id);
      if (account === null) return ignored('account_unknown');
      if (account.unlimited_credits === unlimited_credits) return ignored('already_so');
      return accepted({ ...account, unlimited_credits });
    }
    case 'CreditsGranted': {
      const { account_id, credits } = event;
      const account = view('account', account_id);
      if (account === null) return ignored('account_unknown');
      const id = creditGrantId(account_id, event.grant_id);
      if (view('credit_grant', id) !== null) return ignored('already_granted');
      if (credits <= 0) return ignored('credits_not_positive');
      const granted_credits = account.granted_credits + credits;
      // Above this limit, sums of credits are no longer exact: a charge of 3 would take 4.
      if (granted_credits > Number.MAX_SAFE_INTEGER) return ignored('too_many_credits');
      return accepted(
        { ...account, granted_credits },
        { kind: 'credit_grant', id, account_id, credits, created_at: at },
      );
    }
    case 'TeamCreated': {
      const { team_id: id, account_id, name } = event;
      if (view('team', id) !== null) return ignored('already_exists');
      if (view('account', account_id) === null) return ignored('account_unknown');
      return accepted({ kind: 'team', id, account_id, name, created_at: at });
    }
    case 'TeamRenamed': {
      const { name } = event;
      const team = view('team', event.team_id);
      if (team === null) return ignored('team_unknown');
      return team.name === name ? ignored('already_so') : accepted({ ...team, name });
    }
    case 'UserRegistered':
      if (view('user', event.user_id) !== null) return ignored('already_exists');
      return accepted({ kind: 'user', id: event.user_id, email: event.email, created_at: at });
    case 'UserEmailChanged': {
      const { email } = event;
      const user = view('user', event.user_id);
      if (user === null) return ignored('user_unknown');
      return sameReference(user.email, email) ? ignored('already_so') : accepted({ ...user, email });
    }
    case 'MemberAdded':
      return memberAdded(view, event, at);
    case 'MemberRoleChanged':
      return roleChanged(view, event);
    case 'MemberRemoved':
      return memberRemoved(view, event, at);
    case 'ApiKeyIssued':
      return keyIssued(view, event, at, is_bound);
    case 'ApiKeyRotated':
      return keyRotated(view, event, at, is_bound);
    case 'ApiKeyRevoked': {
      const key = view('api_key', event.key_id);
      if (key === null) return ignored('key_unknown');
      return key.revoked_at === null ? accepted({ ...key, revoked_at: at }) : ignored('already_revoked');
    }
    case 'ProjectCreated':
      return projectCreated(view, event, at);
    case 'ProjectVersionAdded':
      return versionAdded(view, event, at);
    case 'ProjectThumbnailMade':
      return thumbnailMade(view, event, at);
    case 'ProjectErased':
      return projectErased(view, event, at);
    case 'WebhookEndpointCreated':
      return endpointCreated(view, event, at);
    case 'WebhookEndpointDeleted':
      return endpointDeleted(view, event, at);
    case 'WebhookEventsChosen':
    case 'WebhookSecretRotated':
    case 'WebhookSecretActivated':
    case 'WebhookEndpointDisabled':
    case 'WebhookEndpointEnabled':
      return endpointChanged(view('webhook_endpoint', event.endpoint_id), event, at);
    case 'AccountOwnerAdded':
      return ownerAdded(view, event, at);
    case 'AccountOwnerRemoved':
      return ownerRemoved(view, event);
    case 'InvitationCreated':
      return invitationCreated(view, event, at);
    case 'InvitationRevoked':
      return invitationRevoked(view, event, at);
    case 'InvitationAccepted':
      return invitationAccepted(view, event, at);
    case 'IdentityLinked':
      return identityLinked(view, event, at);
    case 'IdentityUnlinked': {
      const is_own = userOfActor(event.meta.actor) === event.user_id && !isErased(view('user', event.user_id));
      return identityUnlinked(view, event, at, is_own);
    }
    case 'AccountLimitSet':
      return limitSet(view, event);
    case 'AccountRetentionSet':
      return retentionSet(view, event, at);
    case 'DeliveryRetentionSet':
      return deliveryRetentionSet(view, event, at);
    case 'DownloadNamingSet':
      return downloadNamingSet(view, event);
    case 'UserErased':
      return userErased(view, event, at);
    case 'AccountErased':
      return accountErased(view, event, at);
  }
};

/**
 * The fold of `catalogue-events`. The topic is one total order, so other entities may decide about an event. The fold
 * is pure and total: every reader ignores the same illegal events. Rules 1 (ADR 68) first check the actor's role, and
 * last the counts after the event.
 *
 * @param view the entities before the event
 * @param at append time of the record, ms
 */
export const evolveCatalogue = (view: CatalogueView, event: FoldedEvent, at: number): CatalogueVerdict => {
  const is_bound = isBound(event);
  const lacking = is_bound ? lackingRole(view, event) : null;
  if (lacking !== null) return ignored(lacking);
  if (is_bound && hasUnfitId(event)) return ignored('id_unfit');
  const too_late = erasedReceiver(view, event);
  if (too_late !== null) return ignored(too_late);
  const verdict = changedBy(view, event, at, is_bound);
  if (verdict.tag === 'ignored') return verdict;
  // A removal of an erased user may remove the last admin or owner. It only lowers counts, so it exceeds no limit.
  return tallied(view, verdict.changes, at, is_bound && !removesOfErased(view, event));
};
