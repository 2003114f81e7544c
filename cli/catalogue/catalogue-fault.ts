import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { QuickstartConflict } from '../../catalogue/quickstart-conflict.ts';
import type { EntityKind } from '../../domain/catalogue/entities.ts';
import type { CliFault } from '../fault.ts';
import { ignoredText, refusalText, retryAdvice } from './refusal.ts';

const refused = (reason: string, message: string): CliFault => ({ tag: 'refused', reason, message });

const NAMES: Readonly<Record<EntityKind, string>> = {
  account: 'account',
  credit_grant: 'grant',
  team: 'team',
  user: 'user',
  membership: 'member',
  api_key: 'key',
  project: 'project',
  project_version: 'version',
  project_thumbnail: 'still',
  webhook_endpoint: 'webhook endpoint',
  team_webhooks: 'team',
  account_member: 'member of an account',
  account_usage: 'account',
  account_limits: 'account',
  account_retention: 'account',
  team_roster: 'team',
  member_keys: 'member',
  invitation: 'invitation',
  identity: 'identity',
  user_identities: 'user',
};

const LISTS: Readonly<Partial<Record<EntityKind, string>>> = {
  account: 'renderctl account list',
  team: 'renderctl team list',
  user: 'renderctl user list',
  api_key: 'renderctl key list',
  project: 'renderctl project list',
  webhook_endpoint: 'renderctl webhook list',
};

const listOf = (kind: EntityKind, id: string): string | null => {
  const [first] = id.split('/', 1);
  if (kind === 'membership') return `renderctl member list --team ${first}`;
  if (kind === 'account_member') return `renderctl account owner list ${first}`;
  return LISTS[kind] ?? null;
};

const ANOTHER_ID = 'nothing was created; use another --id';

const conflictText = (conflict: QuickstartConflict): string => {
  switch (conflict.tag) {
    case 'erased_before':
      return `${conflict.id} was erased, and its id cannot be reused; ${ANOTHER_ID}`;
    case 'another_account':
      return `${conflict.account_id} already exists with the name "${conflict.name}"; ${ANOTHER_ID}, or use this name as --name`;
    case 'account_has_limit':
      return `${conflict.account_id} already exists and has a credit limit; nothing was created; remove the limit with "renderctl account unlimited ${conflict.account_id} on"`;
    case 'another_grant': {
      const { account_id, grant_id, credits } = conflict;
      return `${grant_id} already exists with ${credits} credits; nothing was created; repeat the command with "--credits ${credits}", then grant more with "renderctl account grant ${account_id} CREDITS"`;
    }
    case 'team_of_another_account':
      return `${conflict.team_id} already exists in account ${conflict.account_id}; ${ANOTHER_ID}`;
    case 'project_of_another_team':
      return `${conflict.project_id} already exists in team ${conflict.team_id}; ${ANOTHER_ID}`;
  }
};

type FaultOf<T extends CatalogueFault['tag']> = Extract<CatalogueFault, { tag: T }>;

const stillLastText = ({ user_id, team_ids, account_ids }: FaultOf<'still_last'>): string => {
  const roles: string[] = [];
  const instead: string[] = [];
  const [team] = team_ids;
  if (team !== undefined) {
    roles.push(`the last admin of ${team_ids.join(', ')}, whose account has no owner`);
    instead.push(
      `make another user an admin first, with "renderctl member role ${team} USER admin", or an owner of its account, with "renderctl account owner add ACCOUNT USER"`,
    );
  }
  const [account] = account_ids;
  if (account !== undefined) {
    roles.push(`the last owner of ${account_ids.join(', ')}`);
    instead.push(
      `add another owner first, with "renderctl account owner add ${account} USER", or erase the account, with "renderctl erase account ${account}"`,
    );
  }
  return `user ${user_id} is ${roles.join(' and ')}; ${instead.join('; ')}; nothing was changed`;
};

const incompleteFault = (cause: FaultOf<'quickstart_incomplete'>['cause']): CliFault => {
  const next_step = 'run the same command again to continue';
  const first = cause.tag === 'import_incomplete' ? cause.cause : cause;
  // The command looked for the entity before it created it. If the log refuses the event, the entity was created in the
  // meantime.
  if (first.tag === 'illegal')
    return refused(first.reason, `another command created part of it at the same time (${first.reason}); ${next_step}`);
  const fault = cliFault(cause);
  if (fault.tag === 'import_cut_off') return fault.cause;
  return fault.tag === 'outcome_unknown' ? { ...fault, next_step } : fault;
};

export const cliFault = (fault: CatalogueFault | CliFault): CliFault => {
  switch (fault.tag) {
    case 'illegal': {
      const { event, reason, ignored_at } = fault;
      const message = refusalText(event, reason);
      return refused(reason, ignored_at === null ? message : ignoredText(message, ignored_at));
    }
    case 'name_refused':
    case 'address_refused':
      return refused(fault.tag, fault.message);
    case 'still_last':
      return refused(fault.tag, stillLastText(fault));
    case 'missing':
      return { tag: 'not_found', what: NAMES[fault.kind], id: fault.id, list: listOf(fault.kind, fault.id) };
    case 'version_missing': {
      const { project_id, version } = fault;
      const list = `renderctl project versions ${project_id}`;
      return { tag: 'not_found', what: 'version', id: `${version} of ${project_id}`, list };
    }
    case 'text_pending':
      return refused(
        fault.tag,
        `the name and document of project ${fault.project_id} cannot be read from the blob store; "renderctl partition list" shows why`,
      );
    case 'no_version': {
      const { project_id: id, needed_for } = fault;
      const why = needed_for === 'name' ? ', so it has no name to change' : '';
      const message = `project ${id} has no versions${why}; import one with "renderctl project import FOLDER --project ${id}"`;
      return refused('no_version', message);
    }
    case 'already_imported': {
      const { project_id: id, version } = fault;
      const message = `project ${id} already exists at version ${version}; to add a version, import with "--project ${id}" instead of --team and --id`;
      return refused('already_exists', message);
    }
    case 'no_ledger_yet':
      return refused(
        'no_ledger_yet',
        'the projectors are rebuilding the credit ledger from the log; try again when they have finished',
      );
    case 'quickstart_conflict':
      return refused(fault.conflict.tag, conflictText(fault.conflict));
    case 'quickstart_incomplete':
      return incompleteFault(fault.cause);
    case 'secret_replaced': {
      const { endpoint_id: id } = fault;
      const message = `webhook endpoint ${id} was deleted, or its secret was replaced again: this secret is not in use; see "renderctl webhook show ${id}"`;
      return refused('secret_replaced', message);
    }
    case 'unconfirmed':
      return { tag: 'outcome_unknown', message: fault.message, next_step: retryAdvice(fault.event) };
    case 'assets_taken': {
      const faults = fault.files.map(
        ({ path, id }) => `${path}: the project already has a different asset "${id}"; use --replace, or another --id`,
      );
      return { tag: 'invalid_files', faults };
    }
    case 'file_changed':
      return {
        tag: 'unreadable_file',
        path: fault.path,
        message: 'the file changed during the import; import it again',
      };
    case 'import_incomplete':
      return { tag: 'import_cut_off', project_id: fault.project_id, cause: cliFault(fault.cause) };
    default:
      return fault;
  }
};
