import * as E from 'fp-ts/lib/Either.js';
import { renameAccount } from '../../catalogue/accounts.ts';
import { catalogueError, commandReply, isIdTaken } from '../../catalogue/api-errors/catalogue-error.ts';
import { setDownloadNaming } from '../../catalogue/download-naming.ts';
import { addOwner, removeOwner } from '../../catalogue/owners.ts';
import { createTeam } from '../../catalogue/teams.ts';
import { accountMemberId } from '../../domain/catalogue/entities.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { UserRequest } from '../../schemas/http/management/people.ts';
import { Account, Downloads, NameRequest, Owner, Team } from '../../schemas/http/management/teams.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { IDEMPOTENCY_CONFLICT, idempotentCreationId } from '../access/creation-id.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import { isPossibleId } from '../access/reach.ts';
import type { AccountHandler } from '../access/route-guards.ts';
import { offerInvitation, withdrawInvitation } from '../invitations/offers.ts';

export const renameOwnAccount =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodeBody(request, NameRequest);
    if (E.isLeft(body)) return body;
    return commandReply(Account.encode)(
      await renameAccount(catalogueWriterFor(parts, person), account.id, body.right.name),
    );
  };

export const nameOwnDownloads =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodeBody(request, Downloads);
    if (E.isLeft(body)) return body;
    return commandReply(Downloads.encode)(
      await setDownloadNaming(catalogueWriterFor(parts, person), account.id, body.right.named_by),
    );
  };

/** POST …/teams: a repeat with the same Idempotency-Key returns the team of the first request. */
export const createOwnTeam =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodeBody(request, NameRequest);
    if (E.isLeft(body)) return body;
    const id = idempotentCreationId(request, 'team', person.user_id, account.id);
    if (E.isLeft(id)) return id;
    const wanted = { account_id: account.id, ...body.right, ...(id.right !== null && { id: id.right }) };
    const created = await createTeam(catalogueWriterFor(parts, person), wanted);
    if (E.isRight(created))
      return E.right({ status: created.right.repeated === true ? 200 : 201, body: Team.encode(created.right) });
    return E.left(isIdTaken(created.left) ? IDEMPOTENCY_CONFLICT : catalogueError(created.left));
  };

export const addAccountOwner =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodeBody(request, UserRequest);
    if (E.isLeft(body)) return body;
    return commandReply(Owner.encode)(
      await addOwner(catalogueWriterFor(parts, person), { account_id: account.id, ...body.right }),
    );
  };

const NO_OWNER: ApiError = { tag: 'not_found', param: 'user_id', message: 'there is no such owner of the account' };

export const removeAccountOwner =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const user_id = request.params.user_id ?? '';
    const id = accountMemberId(account.id, user_id);
    const found = isPossibleId(user_id) ? await parts.read_model.find('account_member', id) : null;
    if (found?.owner !== true || found.user_id !== user_id) return E.left(NO_OWNER);
    const removed = await removeOwner(catalogueWriterFor(parts, person), { account_id: account.id, user_id });
    return commandReply(() => ({ user_id, removed: true }))(removed);
  };

export const inviteOwner =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    return await offerInvitation(parts, person, { account_id: account.id, team_id: null, role: 'owner' });
  };

export const revokeAccountInvitation =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const isHere = ({ account_id }: { readonly account_id: string }): boolean => account_id === account.id;
    return await withdrawInvitation(parts, person, request.params.invitation_id ?? '', isHere);
  };
