import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { CatalogueFault } from '../fault.ts';
import { roleNeededError } from './role-needed.ts';

const RETRY_AFTER_S = 5;

/** Messages, by the reason for which the fold ignored the event. A reason without a message is shown by its name. */
const IN_THE_WAY: Readonly<Record<string, string>> = {
  invitation_accepted: 'the invitation was already accepted and works only once',
  invitation_revoked: 'the invitation was revoked',
  invitation_expired: 'the invitation has expired: ask for another one',
  inviter_lost_role: 'the sender of the invitation may no longer invite people: ask another admin or owner',
  already_member: 'you are already a member of this team; the invitation still works for another person',
  already_owner: 'you already own this account; the invitation still works for another person',
  identity_of_another_user: 'your sign-in already belongs to another user',
  last_admin: 'this is the last admin of the team: make another member an admin first',
  last_owner: 'this is the last owner of the account: add another owner first',
  not_of_account: 'this person does not belong to the account: invite them first',
  too_many_keys: 'the account has reached its limit of API keys: revoke one, or ask an operator for a higher limit',
  too_many_endpoints_of_account:
    'the account has reached its limit of webhook endpoints: delete one, or ask an operator for a higher limit',
  too_many_endpoints: 'the team has reached its limit of webhook endpoints: delete one',
  too_many_teams: 'the account has reached its limit of teams: ask an operator for a higher limit',
  too_many_projects: 'the account has reached its limit of projects: erase one, or ask an operator for a higher limit',
  too_many_inline_projects:
    'the account has reached its limit of documents in requests of renders: use a project and a template with values, erase such projects, or ask an operator for a higher limit',
  too_many_members: 'the account has reached its limit of people: remove one, or ask an operator for a higher limit',
  too_many_invitations: 'the account has too many open invitations: revoke one',
  already_rotated: 'the key is already rotated: rotate the key that replaced it',
  key_revoked: 'the key is revoked: create a new one',
  key_expired: 'the key has expired: create a new one',
  user_erased: 'this user was erased and cannot be changed',
  account_erased: 'this account was erased and cannot be changed',
  endpoint_deleted: 'the endpoint was deleted: create a new one',
  base_version_outdated: 'other changes of the project came first: try again',
  no_rotation: 'no rotation is in progress: rotate the secret first',
};

/** Reasons like `team_unknown`: the fold does not have an entity that the route found before. */
const UNKNOWN = /^(\w+)_unknown$/;

const HOST_REFUSED = 'url: must have a host that exists and has only public addresses';

/** `the URL must begin with https://` as `must begin with https://`. */
const ofUrl = (message: string): string => message.replace(/^the URL /, '');

const unavailable = (message: string): Extract<ApiError, { readonly tag: 'unavailable' }> => ({
  tag: 'unavailable',
  message,
  retry_after_s: RETRY_AFTER_S,
});

export const catalogueError = (fault: CatalogueFault): ApiError => {
  switch (fault.tag) {
    case 'illegal': {
      const { reason } = fault;
      const role = roleNeededError(reason);
      if (role !== null) return role;
      const [, kind] = UNKNOWN.exec(reason) ?? [];
      if (kind !== undefined) return { tag: 'not_found', message: `there is no such ${kind}` };
      return {
        ...{ tag: 'conflict', code: reason.startsWith('too_many_') ? 'limit_reached' : 'conflict' },
        message: IN_THE_WAY[reason] ?? reason.replaceAll('_', ' '),
      };
    }
    case 'name_refused':
      return { tag: 'invalid', code: 'invalid_field', param: 'name', message: fault.message };
    case 'address_refused':
      return {
        ...{ tag: 'invalid', code: 'invalid_field', param: 'url' },
        // A fault of the host says which internal addresses its name has. Callers must not learn them.
        message: fault.about === 'host' ? HOST_REFUSED : `url: ${ofUrl(fault.message)}`,
      };
    case 'missing':
      return { tag: 'not_found', message: `there is no such ${fault.kind.replaceAll('_', ' ')}` };
    case 'read_model_behind':
    case 'read_model_rebuilding':
    case 'not_appended':
      return unavailable('the log or the read model did not answer in time; nothing was changed, try again');
    case 'text_pending':
      return unavailable('the text of the project cannot be read from the blob store: try again later');
    case 'unconfirmed':
    case 'not_shown':
      return {
        ...unavailable('the outcome is unknown: check whether the change was made before you try again'),
        code: 'outcome_unknown',
      };
    default:
      return { tag: 'conflict', message: fault.tag.replaceAll('_', ' ') };
  }
};

/** Whether the id exists already, for example because the request is a repeat. */
export const isIdTaken = (fault: CatalogueFault): boolean =>
  fault.tag === 'illegal' && ['already_exists', 'already_rotated', 'key_revoked', 'key_expired'].includes(fault.reason);

export const commandReply =
  <A>(shown: (answer: A) => object, status: 200 | 201 = 200) =>
  (outcome: E.Either<CatalogueFault, A>): E.Either<ApiError, Reply> =>
    E.isLeft(outcome) ? E.left(catalogueError(outcome.left)) : E.right({ status, body: shown(outcome.right) });
