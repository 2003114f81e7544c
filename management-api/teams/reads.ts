import * as E from 'fp-ts/lib/Either.js';
import type { InvitationView, MemberView } from '../../catalogue/answers.ts';
import { listOpenInvitations } from '../../catalogue/invitations.ts';
import { listPosition } from '../../read-models/position.ts';
import { TEAM_RIGHTS } from '../../schemas/http/management/people.ts';
import { Invitation, TeamMember, TeamWithRole } from '../../schemas/http/management/teams.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type SortableList, sortedPage } from '../lists/page-of-all.ts';

export const getTeam: TeamHandler = async (_request, { team, role }) =>
  E.right({ status: 200, body: TeamWithRole.encode({ ...team, role, may: TEAM_RIGHTS[role] }) });

export const listTeamMembers =
  ({ read_model, readPage }: RouteDependencies): TeamHandler =>
  async ({ query }, { team }) => {
    const list: SortableList<MemberView> = {
      ...{ endpoint: 'team_members', scope: team.id, status: null },
      all: () => read_model.membersOf(team.id),
      positionOf: ({ joined_at, user_id }) => listPosition(joined_at, user_id),
    };
    return await sortedPage(readPage, query, list, TeamMember.encode);
  };

export const listTeamInvitations =
  ({ read_model, readPage, clock }: RouteDependencies): TeamHandler =>
  async ({ query }, { team }) => {
    const list: SortableList<InvitationView> = {
      ...{ endpoint: 'team_invitations', scope: team.id, status: null },
      all: async () => {
        const open = await listOpenInvitations(read_model, team.account_id, clock.now());
        return open.filter(({ team_id }) => team_id === team.id);
      },
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await sortedPage(readPage, query, list, Invitation.encode);
  };
