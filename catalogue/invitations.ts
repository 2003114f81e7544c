import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { InvitationRole } from '../domain/catalogue/events.ts';
import { MAX_INVITATION_MS } from '../domain/catalogue/limits.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import { type InvitationView, invitationView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { findEntity } from './named-entity.ts';

const invitationById =
  (id: string) =>
  async (read_model: CatalogueReadModel): Promise<E.Either<CatalogueFault, InvitationView>> =>
    E.map(invitationView)(await findEntity(read_model, 'invitation', id));

export type NewInvitation = {
  readonly account_id: string;
  readonly team_id: string | null;
  readonly role: InvitationRole;
};

export type IssuedInvitation = InvitationView & { readonly token: string };

/** Adds the token to the fault `not_shown`: the invitation is in the log, and no later answer shows the token. */
const unseen =
  (invitation_id: string, token: string) =>
  (fault: CatalogueFault): CatalogueFault =>
    fault.tag === 'not_shown' ? { ...fault, invitation: { invitation_id, token } } : fault;

const SECRET_BYTES = 32;

/** The invitation works once, within 7 days, while its author may still invite. */
export const createInvitation = async (
  catalogue: CatalogueWriter,
  wanted: NewInvitation,
): Promise<E.Either<CatalogueFault, IssuedInvitation>> => {
  const invitation_id = newId('inv');
  // The id in the token finds the invitation; the hash of the token proves it.
  const token = `${invitation_id}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const expires_at = catalogue.clock.now() + MAX_INVITATION_MS;
  const command = { type: 'Invite', invitation_id, ...wanted, token_sha256: sha256Hex(token), expires_at } as const;
  const invited = await changeAndRead(catalogue, command, invitationById(invitation_id));
  return E.bimap(unseen(invitation_id, token), (answer: InvitationView) => ({ ...answer, token }))(invited);
};

export const revokeInvitation = async (
  catalogue: CatalogueWriter,
  invitation_id: string,
): Promise<E.Either<CatalogueFault, ChangeResult<InvitationView>>> =>
  changeAndRead(catalogue, { type: 'RevokeInvitation', invitation_id }, invitationById(invitation_id));

/** A malformed token has the same answer as an unknown invitation. */
export const findInvitation = async (
  read_model: CatalogueReadModel,
  token: string,
): Promise<E.Either<CatalogueFault, InvitationView>> => {
  const id = token.split('.', 1)[0] ?? '';
  const invitation = await read_model.find('invitation', id);
  return invitation === null || invitation.token_sha256 !== sha256Hex(token)
    ? E.left({ tag: 'missing', kind: 'invitation', id })
    : E.right(invitationView(invitation));
};

export const acceptInvitation = async (
  catalogue: CatalogueWriter,
  token: string,
  user_id: string,
): Promise<E.Either<CatalogueFault, ChangeResult<InvitationView>>> => {
  const invitation = await findInvitation(catalogue.read_model, token);
  if (E.isLeft(invitation)) return invitation;
  const invitation_id = invitation.right.id;
  return changeAndRead(catalogue, { type: 'AcceptInvitation', invitation_id, user_id }, invitationById(invitation_id));
};

/** Invitations to an account and its teams that can still be accepted; at most 200 (ADR 68). */
export const listOpenInvitations = async (
  read_model: CatalogueReadModel,
  account_id: string,
  now: number,
): Promise<readonly InvitationView[]> => {
  const open = (await read_model.openInvitations(account_id)).filter(({ expires_at }) => expires_at > now);
  return open.map(invitationView).toSorted((a, b) => a.created_at - b.created_at);
};

/** Oldest first. An unknown account is a fault, not an empty list. */
export const listInvitations = async (
  read_model: CatalogueReadModel,
  account_id: string,
  now: number,
): Promise<E.Either<CatalogueFault, readonly InvitationView[]>> => {
  const account = await accountById(read_model, account_id);
  return E.isLeft(account) ? account : E.right(await listOpenInvitations(read_model, account_id, now));
};
