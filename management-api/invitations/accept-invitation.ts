import { createHmac } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { InvitationView } from '../../catalogue/answers.ts';
import { catalogueError } from '../../catalogue/api-errors/catalogue-error.ts';
import type { CatalogueWriter, ChangeResult } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { linkIdentity } from '../../catalogue/identities.ts';
import { acceptInvitation, findInvitation } from '../../catalogue/invitations.ts';
import { registerUser } from '../../catalogue/users.ts';
import { isErased } from '../../domain/catalogue/entities.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isStoreFault } from '../../platform/read-store/store-faults.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { InvitationToken, MAX_TOKEN_LENGTH } from '../../schemas/http/management/sessions.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import { decodeBody } from '../access/json-object.ts';
import type { Route, RouteGuards, SignedInHandler } from '../access/route-guards.ts';
import { sessionCredential } from '../access/session-credential.ts';
import type { BeginSession } from '../sessions/begin-session.ts';
import { type ReadInvitationDependencies, readInvitation } from './read-invitation.ts';

export type AcceptInvitationDependencies = {
  readonly records: RecordLog;
  readonly read_model: CatalogueReadModel;
  readonly clock: Clock;
  readonly beginSession: BeginSession;
  readonly cookies: CookieNames;
};

const IN_A_BROWSER: ApiError = { tag: 'forbidden', message: 'accept the invitation in a browser: open its link' };

type Accepted = { readonly user_id: string; readonly invitation: ChangeResult<InvitationView> };

const ID_DIGITS = 32;

const ACCEPTED_ALL_THE_SAME: ApiError = {
  tag: 'unavailable',
  message: 'the invitation was accepted, but the session could not be renewed: try again, or sign in again',
  retry_after_s: 1,
};

/**
 * The id of the new user. It is the same for repeats and in other tabs, so that only one user is created. Each
 * invitation gives another id (ADR 73).
 */
const newUserId = (identity_id: string, invitation_id: string): string =>
  `user_${createHmac('sha256', identity_id).update(invitation_id).digest('hex').slice(0, ID_DIGITS)}`;

/**
 * Whether the invitation can be accepted according to the read model. This check avoids creating a user who would then
 * have no rights.
 */
const isOpen = ({ revoked_at, accepted_at, expires_at }: InvitationView, now: number): boolean =>
  revoked_at === null && accepted_at === null && expires_at > now;

/**
 * Creates the user if necessary, and accepts the invitation. A repeated step has no effect, so a retry completes a
 * request that a crash interrupted.
 */
const accept = async (
  { records, read_model, clock }: AcceptInvitationDependencies,
  identity_id: string,
  token: string,
): Promise<E.Either<CatalogueFault | 'over', Accepted>> => {
  const asUser = (user_id: string): CatalogueWriter => ({ records, read_model, clock, actor: `user:${user_id}` });
  const linkedUser = async (): Promise<string | null> => {
    const identity = await read_model.find('identity', identity_id);
    return identity === null || identity.unlinked_at !== null ? null : identity.user_id;
  };

  const madeUser = async (invitation_id: string): Promise<E.Either<CatalogueFault, string>> => {
    const user_id = newUserId(identity_id, invitation_id);
    const registered = await registerUser(asUser(user_id), user_id);
    if (E.isLeft(registered)) return registered;
    const linked = await linkIdentity(asUser(user_id), { identity_id, user_id });
    if (E.isRight(linked)) return E.right(user_id);
    // Another tab has accepted another invitation meanwhile and linked the identity to its user.
    const other = linked.left.tag === 'illegal' ? await linkedUser() : null;
    return other === null ? linked : E.right(other);
  };

  const invitation = await findInvitation(read_model, token);
  if (E.isLeft(invitation)) return invitation;
  const known = await linkedUser();
  const isGoingOn = async (): Promise<boolean> =>
    isOpen(invitation.right, clock.now()) && !isErased(await read_model.find('account', invitation.right.account_id));
  if (known === null && !(await isGoingOn())) return E.left('over');
  const user_id = known === null ? await madeUser(invitation.right.id) : E.right(known);
  if (E.isLeft(user_id)) return user_id;
  const accepted = await acceptInvitation(asUser(user_id.right), token, user_id.right);
  return E.map((answer: ChangeResult<InvitationView>) => ({ user_id: user_id.right, invitation: answer }))(accepted);
};

const acceptInvitationOf =
  (accepting: AcceptInvitationDependencies): SignedInHandler =>
  async (request, { session }) => {
    const credential = sessionCredential(request.headers, accepting.cookies);
    // The answer may set a cookie, and a program must not get one.
    if (credential?.kind !== 'cookie') return E.left(IN_A_BROWSER);
    const body = await decodeBody(request, InvitationToken);
    if (E.isLeft(body)) return body;
    const { token } = body.right;
    if (token.length > MAX_TOKEN_LENGTH) return E.left({ tag: 'not_found', message: 'there is no such invitation' });
    const accepted = await accept(accepting, session.identity_id, token);
    if (E.isLeft(accepted)) {
      const fault = accepted.left;
      if (fault !== 'over') return E.left(catalogueError(fault));
      return E.left({ tag: 'conflict', message: 'the invitation has expired, was accepted before, or was revoked' });
    }
    const { user_id, invitation } = accepted.right;
    const { team_id, account_id, role } = invitation;
    const reply = { status: 200, body: { user_id, account_id, team_id, role } };
    // New rights need a new session token, also for an operator who was not a user yet. A repeat gives no new rights.
    if (session.user_id !== null && (!session.is_guest || invitation.repeated === true)) return E.right(reply);
    try {
      return E.right({ ...reply, headers: { 'Set-Cookie': await accepting.beginSession(session, credential.token) } });
    } catch (error) {
      if (!isStoreFault(error)) throw error;
      request.log().warn({ error }, 'accepted an invitation, but could not store the session');
      return E.left(ACCEPTED_ALL_THE_SAME);
    }
  };

export const invitationRoutes = (
  guards: RouteGuards,
  accepting: AcceptInvitationDependencies,
  reading: ReadInvitationDependencies,
): readonly Route[] => [
  guards.forSignedIn('POST', '/manage/v1/invitations/read', readInvitation(reading)),
  guards.forSignedIn('POST', '/manage/v1/invitations/accept', acceptInvitationOf(accepting)),
];
