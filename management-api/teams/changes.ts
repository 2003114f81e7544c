import * as E from 'fp-ts/lib/Either.js';
import { commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import { addMember, changeRole, removeMember } from '../../catalogue/members.ts';
import { renameTeam } from '../../catalogue/teams.ts';
import { membershipId } from '../../domain/catalogue/entities.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { MemberRequest, NameRequest, RoleRequest, Team, TeamMember } from '../../schemas/http/management/teams.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import { isPossibleId } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { offerInvitation, withdrawInvitation } from '../invitations/offers.ts';

export const renameOwnTeam =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await decodeBody(request, NameRequest);
    if (E.isLeft(body)) return body;
    return commandReply(Team.encode)(await renameTeam(catalogueWriterFor(parts, person), team.id, body.right.name));
  };

export const addTeamMember =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await decodeBody(request, MemberRequest);
    if (E.isLeft(body)) return body;
    return commandReply(TeamMember.encode)(
      await addMember(catalogueWriterFor(parts, person), { team_id: team.id, ...body.right }),
    );
  };

const NO_MEMBER: ApiError = { tag: 'not_found', param: 'user_id', message: 'there is no such member of the team' };

const isMember = async ({ read_model }: RouteDependencies, team_id: string, user_id: string): Promise<boolean> => {
  const found = isPossibleId(user_id) ? await read_model.find('membership', membershipId(team_id, user_id)) : null;
  return found !== null && !found.removed && found.team_id === team_id && found.user_id === user_id;
};

export const changeMemberRole =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await decodeBody(request, RoleRequest);
    if (E.isLeft(body)) return body;
    const user_id = request.params.user_id ?? '';
    if (!(await isMember(parts, team.id, user_id))) return E.left(NO_MEMBER);
    return commandReply(TeamMember.encode)(
      await changeRole(catalogueWriterFor(parts, person), { team_id: team.id, user_id, ...body.right }),
    );
  };

const removing =
  (userOf: (params: Readonly<Record<string, string>>, own: string) => string) =>
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const user_id = userOf(request.params, person.user_id);
    if (!(await isMember(parts, team.id, user_id))) return E.left(NO_MEMBER);
    const removed = await removeMember(catalogueWriterFor(parts, person), { team_id: team.id, user_id });
    return commandReply(() => ({ user_id, removed: true }))(removed);
  };

export const removeTeamMember = removing(({ user_id = '' }) => user_id);
export const leaveTeam = removing((_params, own) => own);

export const inviteToTeam =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await decodeBody(request, RoleRequest);
    if (E.isLeft(body)) return body;
    const wanted = { account_id: team.account_id, team_id: team.id, role: body.right.role };
    return await offerInvitation(parts, person, wanted);
  };

export const revokeTeamInvitation =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const isHere = ({ team_id }: { readonly team_id: string | null }): boolean => team_id === team.id;
    return await withdrawInvitation(parts, person, request.params.invitation_id ?? '', isHere);
  };
