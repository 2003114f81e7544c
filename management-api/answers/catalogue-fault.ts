import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { roleNeeded } from './role-needed.ts';

const RETRY_AFTER_S = 5;

/** What stands in the way otherwise. Those that are not here are told by their name. */
const IN_THE_WAY: Readonly<Record<string, string>> = {
  invitation_accepted: 'the invitation was accepted before, and works once',
  invitation_revoked: 'the invitation was revoked',
  invitation_expired: 'the invitation is over: ask for another one',
  inviter_lost_role: 'whoever made the invitation may no longer invite: ask somebody else for another one',
  already_member: 'you are a member of this team already; the invitation still works for somebody else',
  already_owner: 'you are an owner of this account already; the invitation still works for somebody else',
  identity_of_another_user: 'whoever is signed in here is another user already',
  last_admin: 'the last admin of a team stays: make somebody else one before',
  last_owner: 'the last owner of an account stays: add another one before',
  not_of_account: 'this person is not of the account yet: invite them',
  too_many_keys: 'the account has as many API keys as it may: revoke some, or ask for a larger limit',
  too_many_endpoints_of_account:
    'the account has as many webhook endpoints as it may: delete some, or ask for a larger limit',
  too_many_endpoints: 'the team has as many webhook endpoints as it may: delete some',
  too_many_teams: 'the account has as many teams as it may: ask for a larger limit',
  too_many_members: 'the account has as many people as it may: remove some, or ask for a larger limit',
  too_many_invitations: 'too many invitations are open: revoke some',
  already_rotated: 'the key was rotated before: rotate the one that replaced it',
  key_revoked: 'the key was revoked: make another one',
  key_expired: 'the key has expired: make another one',
  user_erased: 'this user was erased, and is given nothing any more',
  account_erased: 'this account was erased, and nothing is made in it any more',
  endpoint_deleted: 'the endpoint was deleted: make another one',
  no_rotation: 'no rotation is under way: rotate the secret before',
};

/** What the fold does not know (any more), where a route has found it before. */
const UNKNOWN = /^(\w+)_unknown$/;

const ADDRESS_REFUSED =
  'url: must be an https address without credentials, at a port that is allowed, whose host has public addresses alone';

const unavailable = (message: string): ApiError => ({ tag: 'unavailable', message, retry_after_s: RETRY_AFTER_S });

/** The only mapping from a fault of the catalogue to an answer. */
export const catalogueError = (fault: CatalogueFault): ApiError => {
  switch (fault.tag) {
    case 'illegal': {
      const { reason } = fault;
      const role = roleNeeded(reason);
      if (role !== null) return role;
      const [, kind] = UNKNOWN.exec(reason) ?? [];
      if (kind !== undefined) return { tag: 'not_found', message: `there is no such ${kind}` };
      return { tag: 'conflict', message: IN_THE_WAY[reason] ?? reason.replaceAll('_', ' ') };
    }
    case 'name_refused':
      return { tag: 'invalid', message: fault.message };
    case 'address_refused':
      // What a name resolves to inside the network is nobody's business outside.
      return { tag: 'invalid', message: ADDRESS_REFUSED };
    case 'missing':
      return { tag: 'not_found', message: `there is no such ${fault.kind.replaceAll('_', ' ')}` };
    case 'read_model_behind':
    case 'read_model_rebuilding':
    case 'not_appended':
      return unavailable('the log or what is folded from it does not answer in time; nothing happened, try again');
    case 'text_pending':
      return unavailable(
        'the text of the project is stored, and the blob store does not serve it now: look again later',
      );
    case 'unconfirmed':
    case 'not_shown':
      return unavailable('the outcome is not known yet: look whether it has happened before you try again');
    default:
      return { tag: 'conflict', message: fault.tag.replaceAll('_', ' ') };
  }
};

/** Something of the id was created before: by a repeat of the request, perhaps. */
export const isTaken = (fault: CatalogueFault): boolean =>
  fault.tag === 'illegal' && ['already_exists', 'already_rotated', 'key_revoked', 'key_expired'].includes(fault.reason);

/** The answer to a command of the catalogue. @param shown makes the body of what it came to */
export const answered =
  <A>(shown: (answer: A) => object, status: 200 | 201 = 200) =>
  (outcome: E.Either<CatalogueFault, A>): E.Either<ApiError, Reply> =>
    E.isLeft(outcome) ? E.left(catalogueError(outcome.left)) : E.right({ status, body: shown(outcome.right) });
