import * as E from 'fp-ts/lib/Either.js';
import { keyOfActor, type Meta, userOfActor } from '../event/meta.ts';
import { isInvisible, nameFault } from '../shape/text-rules.ts';
import { subscribedEvents } from '../webhooks/endpoint.ts';
import type { CatalogueCommand, RotateKey } from './commands.ts';
import { accountMemberId, creditGrantId, type EntityRef, isErased, membershipId } from './entities.ts';
import type {
  ApiKeyIssued,
  ApiKeyRotated,
  CatalogueEvent,
  ProjectVersionAdded,
  WebhookSecretActivated,
} from './events.ts';
import { entitiesOf, evolveCatalogue } from './evolve.ts';
import { PAYLOAD_RULES_VERSION, PEOPLE_ERASURE_RULES_VERSION, RULES_VERSION, SCOPE_RULES_VERSION } from './rules.ts';
import type { CatalogueReason, CatalogueView } from './verdict.ts';

/**
 * Why the decision appends no event. `illegal`: the fold would ignore the event, for this reason. `name_refused`: the
 * name breaks the present rules. The fold still accepts such names, because old records have them.
 */
export type CatalogueRefusal =
  | { readonly tag: 'illegal'; readonly reason: CatalogueReason; readonly event: CatalogueEvent }
  | { readonly tag: 'name_refused'; readonly message: string };

type CommandOf<T extends CatalogueCommand['type']> = Extract<CatalogueCommand, { type: T }>;

const keyRotated = (view: CatalogueView, { overlap_ms, ...command }: RotateKey, meta: Meta): ApiKeyRotated => {
  const now = meta.occurred_at;
  const old = view('api_key', command.key_id);
  const as_before = old === null || old.expires_at === null ? null : now + (old.expires_at - old.created_at);
  const expires_at = command.expires_at === undefined ? as_before : command.expires_at;
  return {
    ...command,
    type: 'ApiKeyRotated',
    meta,
    rules: RULES_VERSION,
    expires_at,
    overlap_until: overlap_ms === 0 ? 0 : now + overlap_ms,
  };
};

/** Rules 4 only where they differ, because a reader that does not know rules 4 stops at such a record. */
const rulesBy = ({ actor }: Meta, otherwise: number): number =>
  keyOfActor(actor) === null ? otherwise : SCOPE_RULES_VERSION;

const keyIssued = ({ scopes = [], ...command }: CommandOf<'IssueKey'>, meta: Meta): ApiKeyIssued => ({
  ...command,
  type: 'ApiKeyIssued',
  meta,
  rules: scopes.length === 0 ? RULES_VERSION : SCOPE_RULES_VERSION,
  team_ids: [...command.team_ids],
  scopes: scopes.length === 0 ? null : [...scopes],
});

/** The texts are empty, because the payload has them. */
const versionAdded = (command: CommandOf<'AddVersion'>, meta: Meta): ProjectVersionAdded => ({
  ...command,
  type: 'ProjectVersionAdded',
  meta,
  rules: rulesBy(meta, PAYLOAD_RULES_VERSION),
  version: command.base_version + 1,
  name: '',
  document: '',
  document_sha256: '',
});

const secretActivated = (
  view: CatalogueView,
  command: CommandOf<'ActivateSecret'>,
  meta: Meta,
): WebhookSecretActivated => {
  const endpoint = view('webhook_endpoint', command.endpoint_id);
  const secret = endpoint?.next_secret?.sealed ?? endpoint?.secret ?? '';
  return { ...command, type: 'WebhookSecretActivated', meta, rules: RULES_VERSION, secret };
};

/**
 * Rules 3 for an erasure by a person, otherwise rules 1, because a reader that does not know rules 3 stops at such a
 * record.
 */
const rulesOfErasure = ({ actor }: Meta): number =>
  userOfActor(actor) === null ? RULES_VERSION : PEOPLE_ERASURE_RULES_VERSION;

/** The event of a command. This function does not check that the named entities exist; the fold does. */
const eventOf = (view: CatalogueView, command: CatalogueCommand, meta: Meta): CatalogueEvent => {
  const head = { meta, rules: RULES_VERSION };
  switch (command.type) {
    case 'CreateAccount':
      return { ...command, type: 'AccountCreated', ...head };
    case 'RenameAccount':
      return { ...command, type: 'AccountRenamed', ...head };
    case 'SetCreditLimit': {
      const { account_id, unlimited_credits } = command;
      return { type: unlimited_credits ? 'CreditLimitLifted' : 'CreditLimitImposed', ...head, account_id };
    }
    case 'GrantCredits':
      return { ...command, type: 'CreditsGranted', ...head };
    case 'CreateTeam':
      return { ...command, type: 'TeamCreated', ...head };
    case 'RenameTeam':
      return { ...command, type: 'TeamRenamed', ...head };
    case 'RegisterUser':
      return { ...command, type: 'UserRegistered', ...head };
    case 'ChangeEmail':
      return { ...command, type: 'UserEmailChanged', ...head };
    case 'AddMember':
      return { ...command, type: 'MemberAdded', ...head };
    case 'ChangeRole':
      return { ...command, type: 'MemberRoleChanged', ...head };
    case 'RemoveMember':
      return { ...command, type: 'MemberRemoved', ...head };
    case 'IssueKey':
      return keyIssued(command, meta);
    case 'RotateKey':
      return keyRotated(view, command, meta);
    case 'RevokeKey':
      return { ...command, type: 'ApiKeyRevoked', ...head };
    case 'CreateProject':
      return { ...command, type: 'ProjectCreated', ...head, rules: rulesBy(meta, PAYLOAD_RULES_VERSION), name: '' };
    case 'AddVersion':
      return versionAdded(command, meta);
    case 'EraseProject':
      return { ...command, type: 'ProjectErased', ...head, rules: rulesBy(meta, RULES_VERSION) };
    case 'CreateEndpoint':
      return { ...command, type: 'WebhookEndpointCreated', ...head, events: [...command.events] };
    case 'ChooseEvents':
      return { ...command, type: 'WebhookEventsChosen', ...head, events: [...command.events] };
    case 'RotateSecret':
      return { ...command, type: 'WebhookSecretRotated', ...head };
    case 'ActivateSecret':
      return secretActivated(view, command, meta);
    case 'DisableEndpoint':
      return { ...command, type: 'WebhookEndpointDisabled', ...head, reason: 'by_hand', enabled_since: null };
    case 'EnableEndpoint':
      return { ...command, type: 'WebhookEndpointEnabled', ...head };
    case 'DeleteEndpoint': {
      const team_id = view('webhook_endpoint', command.endpoint_id)?.team_id ?? '';
      return { ...command, type: 'WebhookEndpointDeleted', ...head, team_id };
    }
    case 'AddOwner':
      return { ...command, type: 'AccountOwnerAdded', ...head };
    case 'RemoveOwner':
      return { ...command, type: 'AccountOwnerRemoved', ...head };
    case 'Invite':
      return { ...command, type: 'InvitationCreated', ...head };
    case 'RevokeInvitation':
      return { ...command, type: 'InvitationRevoked', ...head };
    case 'AcceptInvitation':
      return { ...command, type: 'InvitationAccepted', ...head };
    case 'LinkIdentity':
      return { ...command, type: 'IdentityLinked', ...head };
    case 'UnlinkIdentity':
      return { ...command, type: 'IdentityUnlinked', ...head };
    case 'SetLimit':
      return { ...command, type: 'AccountLimitSet', ...head };
    case 'SetRetention':
      return { ...command, type: 'AccountRetentionSet', ...head };
    case 'SetDeliveryRetention':
      return { ...command, type: 'DeliveryRetentionSet', ...head };
    case 'NameDownloads':
      return { ...command, type: 'DownloadNamingSet', ...head };
    case 'EraseUser':
      return { ...command, type: 'UserErased', ...head, rules: rulesOfErasure(meta) };
    case 'EraseAccount':
      return { ...command, type: 'AccountErased', ...head, rules: rulesOfErasure(meta) };
  }
};

const NOTHING: CatalogueView = () => null;
const NO_META: Meta = { event_id: '', occurred_at: 0, actor: '', causation_id: null, correlation_id: null };

/** The entities to load before the decision. {@link decideCatalogue} may ask its view for more. */
export const entitiesToLoad = (command: CatalogueCommand): readonly EntityRef[] =>
  // An id is empty if `eventOf` takes it from an entity in the view. The fold reaches such entities through the loaded
  // ones.
  entitiesOf(eventOf(NOTHING, command, NO_META)).filter(({ id }) => id !== '');

/** True if the entity to create already exists with the same content. */
const isThere = (view: CatalogueView, command: CatalogueCommand): boolean => {
  switch (command.type) {
    case 'CreateAccount': {
      const account = view('account', command.account_id);
      return account?.name === command.name && account.unlimited_credits === command.unlimited_credits;
    }
    case 'CreateTeam': {
      const team = view('team', command.team_id);
      return team?.account_id === command.account_id && team.name === command.name;
    }
    case 'CreateProject': {
      const project = view('project', command.project_id);
      return project?.team_id === command.team_id && project.name === command.name;
    }
    case 'CreateEndpoint': {
      const endpoint = view('webhook_endpoint', command.endpoint_id);
      if (endpoint === null || endpoint.deleted_at !== null) return false;
      const events = new Set(subscribedEvents(endpoint));
      const is_same = events.symmetricDifference(new Set(command.events)).size === 0;
      return endpoint.team_id === command.team_id && endpoint.url === command.url && is_same;
    }
    default:
      return false;
  }
};

/**
 * True if the fold ignores a command because the wanted state is already the current one. A client may repeat a command
 * whose first answer was lost.
 */
const isRepeat = (view: CatalogueView, command: CatalogueCommand, reason: CatalogueReason): boolean => {
  switch (reason) {
    case 'already_so':
    case 'already_revoked':
    case 'already_erased':
      return true;
    // The user repeats their own erasure.
    case 'user_erased':
      return command.type === 'EraseUser' && isErased(view('user', command.user_id));
    case 'already_exists':
      return isThere(view, command);
    case 'already_granted': {
      if (command.type !== 'GrantCredits') return false;
      const { account_id, grant_id, credits } = command;
      return view('credit_grant', creditGrantId(account_id, grant_id))?.credits === credits;
    }
    case 'already_member': {
      if (command.type !== 'AddMember') return false;
      const { team_id, user_id, role } = command;
      return view('membership', membershipId(team_id, user_id))?.role === role;
    }
    case 'not_a_member': {
      if (command.type !== 'RemoveMember') return false;
      return view('membership', membershipId(command.team_id, command.user_id))?.removed === true;
    }
    case 'already_owner':
      return command.type === 'AddOwner';
    case 'not_an_owner': {
      if (command.type !== 'RemoveOwner') return false;
      const member = view('account_member', accountMemberId(command.account_id, command.user_id));
      return member !== null && member.owner_since !== null;
    }
    case 'invitation_accepted': {
      if (command.type !== 'AcceptInvitation') return false;
      return view('invitation', command.invitation_id)?.accepted_by === command.user_id;
    }
    default:
      return false;
  }
};

/** The new name that a command gives. An added version takes its name from its document, which may have an old name. */
const newName = (command: CatalogueCommand): string | null => ('name' in command ? command.name : null);

/** Why a name is not allowed. The check runs before the append, because the log may keep a name permanently. */
export const nameRefusal = (name: string): Extract<CatalogueRefusal, { tag: 'name_refused' }> | null => {
  const fault = nameFault(name) ?? (isInvisible(name) ? 'must have a visible character' : null);
  return fault === null ? null : { tag: 'name_refused', message: `the name ${fault}` };
};

/**
 * The events to append for a command: a dry run of the fold (ADR 4). A repeated command appends no event. If another
 * event reaches the log first, the fold may still ignore an event that was accepted here.
 *
 * @param view the entities as they are now
 * @param meta of the event; the dry run uses its `occurred_at` as the append time
 */
export const decideCatalogue = (
  view: CatalogueView,
  command: CatalogueCommand,
  meta: Meta,
): E.Either<CatalogueRefusal, readonly CatalogueEvent[]> => {
  const event = eventOf(view, command, meta);
  const name = newName(command);
  const refused = name === null ? null : nameRefusal(name);
  if (refused !== null) return E.left(refused);
  const verdict = evolveCatalogue(view, event, meta.occurred_at);
  if (verdict.tag === 'accepted') return E.right([event]);
  const { reason } = verdict;
  return isRepeat(view, command, reason) ? E.right([]) : E.left({ tag: 'illegal', reason, event });
};
