import type * as t from 'io-ts';
import { ACCOUNT_ID, TEAM_ID, USER_ID } from '../ids.ts';
import type { Parameter } from '../openapi.ts';
import {
  alwaysTrue,
  boolean,
  definitionsOf,
  listOf,
  object,
  oneOf,
  orNull,
  resource,
  text,
  time,
  wholeList,
  withDescription,
} from '../shapes.ts';
import { Role } from '../words.ts';
import { contract, EmptyBody, exampleBody, jsonResponse } from './operation.ts';
import { pageRefusal, redirectResponse, refusal, WRITE_RESPONSES } from './responses.ts';

const SESSION_ID = text('ID of a session: `sess_` and opaque text. It is not a secret.', { pattern: '^sess_.' });

const CurrentSession = resource('CurrentSession', 'The session of the request, and its person.', {
  id: SESSION_ID,
  user_id: orNull(USER_ID, 'The user; null for an operator who is no user, and before an invitation is accepted.'),
  is_operator: boolean('Whether the identity provider marks the person as an operator.'),
  teams: listOf(
    object('A team.', { team_id: TEAM_ID, role: withDescription(Role, 'The role in it.') }),
    'The teams of the user.',
  ),
  owned_account_ids: listOf(ACCOUNT_ID, 'The accounts that the user owns.'),
  created_at: time('When it began'),
  expires_at: time('When it ends at the latest; it ends sooner without use'),
  fresh_until: orNull(
    time(''),
    'The end of the time in which the person may create or change keys and secrets without another sign-in, in milliseconds since the epoch; null if the provider does not state when people signed in.',
  ),
});
export type CurrentSession = t.TypeOf<typeof CurrentSession>;

export const Session = resource('Session', 'A browser in which the person is signed in.', {
  id: SESSION_ID,
  is_current: boolean('Whether it is the session of the request.'),
  user_agent: orNull(text('', { maxLength: 256 }), 'The `User-Agent` of the browser.'),
  created_at: time('When it began'),
  last_used_at: time('When it was last used, up to a minute late'),
  expires_at: time('When it ends at the latest'),
});

const SessionList = wholeList(
  'SessionList',
  Session,
  'The sessions of a person, newest first: at most 20, and at most 20 from before they became a user.',
);

const EndedSession = resource('EndedSession', 'A session that has ended.', {
  ...{ id: SESSION_ID, ended: alwaysTrue('Always true.') },
});

export const MAX_TOKEN_LENGTH = 128;

/** The token in a request. A longer token is no fault of the body: it matches no invitation, so the answer is 404. */
export const InvitationToken = resource('InvitationToken', 'The token of an invitation.', {
  token: text('The token of the link.', {
    ...{ minLength: 1, maxLength: MAX_TOKEN_LENGTH, max_units: Number.POSITIVE_INFINITY },
  }),
});

const AcceptedInvitation = resource('AcceptedInvitation', 'The role that the person accepted.', {
  user_id: USER_ID,
  account_id: ACCOUNT_ID,
  team_id: orNull(TEAM_ID, 'The team; null for an owner of the account.'),
  role: oneOf(['owner', 'admin', 'member'], 'The role.'),
});

export const ReceivedInvitation = resource('ReceivedInvitation', 'An invitation, for the person who has its link.', {
  account_name: text('The name of the account.'),
  team_name: orNull(text(''), 'The name of the team; null for an owner of the account.'),
  role: oneOf(['owner', 'admin', 'member'], 'The role that it offers.'),
  invited_by_email: orNull(text(''), 'The e-mail address of its sender; null without one, or if an operator sent it.'),
  invited_by_name: orNull(text(''), 'The name of its sender; null without one, or if an operator sent it.'),
  expires_at: time('When it expires'),
  state: oneOf(['open', 'accepted', 'revoked', 'expired'], 'Only an open invitation can be accepted.'),
});

export const SESSION_SCHEMAS = definitionsOf([
  ReceivedInvitation,
  ...[CurrentSession, SessionList, Session, EndedSession, EmptyBody, InvitationToken, AcceptedInvitation],
]);

const EXAMPLE: CurrentSession = {
  id: 'sess_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  user_id: 'user_01KAJWYH5M',
  is_operator: false,
  teams: [{ team_id: 'team_01KAJWY8QD', role: 'admin' }],
  owned_account_ids: ['acc_01KAJWXQ4N'],
  created_at: 1_763_740_800_000,
  expires_at: 1_764_345_600_000,
  fresh_until: 1_763_741_700_000,
};

const LISTED = {
  id: EXAMPLE.id,
  is_current: true,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  created_at: EXAMPLE.created_at,
  last_used_at: 1_763_741_000_000,
  expires_at: EXAMPLE.expires_at,
};

const TOKEN = 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B.9tqW0mUoVfVq7v2cX1bG4kP8sLhRzJyEwNdTiAxCu5Y';

const SIGN_IN: readonly Parameter[] = [
  {
    ...{ name: 'return_to', in: 'query', required: false, example: '/renders' },
    description: 'The path of this service to return to, with or without a query; `/` if left out.',
    schema: { type: 'string', maxLength: 512, pattern: '^/' },
  },
  {
    ...{ name: 'fresh', in: 'query', required: false, example: 'true' },
    description: 'Whether the person must sign in again, as keys and secrets require.',
    schema: { type: 'string', const: 'true' },
  },
];

const PROVIDER_ANSWER: readonly Parameter[] = [
  {
    ...{ name: 'state', in: 'query', required: true, schema: { type: 'string' } },
    description: 'The state that the service sent to the provider.',
  },
  {
    ...{ name: 'code', in: 'query', required: false, schema: { type: 'string' } },
    description: 'The code that the service trades for the identity.',
  },
];

const tag = 'Sessions';
const ended = jsonResponse('The session has ended.', EndedSession, { id: EXAMPLE.id, ended: true }, 'ended', 'Ended');

export const SESSIONS = contract({
  'GET /manage/v1/sign-in': {
    ...{ guard: 'open', id: 'signIn', tag, summary: 'Sign in' },
    description:
      'Open it as a page. It redirects to the provider, and then to `return_to` with a session. The sign-in works once, within ten minutes, in the browser that began it.',
    parameters: SIGN_IN,
    answers: {
      303: redirectResponse('Redirects to the identity provider.'),
      400: pageRefusal(
        'A parameter is not valid.',
        'invalid_parameter',
        'return_to: must be a path of this service, like /renders?status=failed',
      ),
    },
  },
  'GET /manage/v1/sign-in/callback': {
    ...{ guard: 'open', id: 'finishSignIn', tag, summary: 'Finish a sign-in' },
    description:
      'The provider redirects here, with `code` and `state`. Begins a session, and ends the former session of the browser.',
    parameters: PROVIDER_ANSWER,
    answers: {
      303: redirectResponse('Redirects to `return_to`.'),
      400: pageRefusal(
        'It does not answer a sign-in of this browser, or it was used before.',
        'invalid_request',
        'the response of the identity provider is not valid: sign in again',
      ),
      403: pageRefusal(
        'The provider did not sign the person in.',
        'forbidden',
        'the identity provider did not sign you in, or you cancelled: sign in again',
      ),
    },
  },
  'POST /manage/v1/sign-out': {
    ...{ guard: 'signed_in', id: 'signOut', tag, summary: 'Sign out' },
    description: 'Ends the session of the request, and deletes its cookie. The session at the provider continues.',
    answers: { 200: ended },
    refusals: WRITE_RESPONSES,
  },
  'GET /manage/v1/session': {
    ...{ guard: 'signed_in', id: 'getSession', tag, summary: 'Read who is signed in' },
    description: 'The session of the cookie, the user, and their current roles in teams and accounts.',
    answers: { 200: jsonResponse('The session.', CurrentSession, EXAMPLE, 'admin', 'An admin') },
  },
  'GET /manage/v1/sessions': {
    ...{ guard: 'signed_in', id: 'listSessions', tag, summary: 'List the sessions of the person' },
    description: 'All sessions of the person who is signed in, the newest first.',
    answers: { 200: jsonResponse('The sessions.', SessionList, { data: [LISTED] }, 'one', 'One') },
  },
  'POST /manage/v1/sessions/{id}/revoke': {
    ...{ guard: 'signed_in', id: 'revokeSession', tag, summary: 'End a session of the person' },
    description: 'A session of the person who is signed in, for example in another browser. It ends within a second.',
    answers: { 200: ended },
    refusals: WRITE_RESPONSES,
  },
  'POST /manage/v1/invitations/read': {
    ...{ guard: 'signed_in', id: 'readInvitation', tag: 'Invitations', summary: 'Read an invitation' },
    description: 'Changes nothing. It is a POST, so that the token is in no log.',
    body: exampleBody(InvitationToken, { token: TOKEN }, 'token', 'The token of the link'),
    answers: {
      200: jsonResponse(
        'The invitation.',
        ReceivedInvitation,
        {
          ...{ account_name: 'Films', team_name: 'Trailers', role: 'member', invited_by_email: 'ada@example.com' },
          invited_by_name: 'Ada Lovelace',
          ...{ expires_at: 1_764_345_600_000, state: 'open' },
        },
        'member',
        'For a member of a team',
      ),
    },
    refusals: WRITE_RESPONSES,
  },
  'POST /manage/v1/invitations/accept': {
    ...{ guard: 'signed_in', id: 'acceptInvitation', tag: 'Invitations', summary: 'Accept an invitation' },
    description:
      'The person who is signed in takes the role that the invitation offers, and becomes a user if they are not one. Then it sets the cookie of a new session. A repeat by the same person gets the same answer.',
    body: exampleBody(InvitationToken, { token: TOKEN }, 'token', 'The token of the link'),
    answers: {
      200: jsonResponse(
        'The invitation is accepted.',
        AcceptedInvitation,
        {
          ...{ user_id: 'user_9c1185a5c5e9fc54612808977ee8f548', account_id: 'acc_01KAJWXQ4N' },
          ...{ team_id: 'team_01KAJWY8QD', role: 'member' },
        },
        'member',
        'A member of a team',
      ),
    },
    refusals: {
      ...WRITE_RESPONSES,
      409: refusal(
        'The invitation has expired, was accepted or revoked, its sender may no longer invite, or the person already has the role.',
        'conflict',
        'the invitation has expired: ask for another one',
      ),
    },
  },
});
