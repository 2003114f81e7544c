import * as E from 'fp-ts/lib/Either.js';
import { accountLimits } from '../../catalogue/account-limits.ts';
import { accountWithCredits } from '../../catalogue/accounts.ts';
import type { InvitationView, LimitView, TeamView } from '../../catalogue/answers.ts';
import { commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import { downloadNaming } from '../../catalogue/download-naming.ts';
import { listOpenInvitations } from '../../catalogue/invitations.ts';
import { listPosition } from '../../read-models/position.ts';
import { ACCOUNT_RIGHTS } from '../../schemas/http/management/people.ts';
import { AccountWithRole, Downloads, Invitation, Owner, Team } from '../../schemas/http/management/teams.ts';
import { creditsResource } from '../../schemas/http/public/account.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { AccountHandler } from '../access/route-guards.ts';
import { type SortableList, sortedPage } from '../lists/page-of-all.ts';

export const getAccount: AccountHandler = async (_request, { account, role }) =>
  E.right({ status: 200, body: AccountWithRole.encode({ ...account, role, may: ACCOUNT_RIGHTS[role] }) });

export const listAccountTeams =
  ({ read_model, readPage }: RouteDependencies): AccountHandler =>
  async ({ query }, { person, account, role }) => {
    const list: SortableList<TeamView> = {
      ...{ endpoint: 'account_teams', scope: account.id, status: role },
      all: async () => {
        const teams = await read_model.teams(account.id);
        return teams.filter(({ id }) => role === 'owner' || person.roles.has(id));
      },
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await sortedPage(readPage, query, list, Team.encode);
  };

const MAX_OWNERS = 1_000;

export const listAccountOwners =
  ({ read_model }: RouteDependencies): AccountHandler =>
  async (_request, { account }) => {
    const owners = await read_model.ownersOf(account.id);
    const inOrder = owners.toSorted((a, b) => (a.owner_since ?? 0) - (b.owner_since ?? 0));
    return E.right({ status: 200, body: { data: inOrder.slice(0, MAX_OWNERS).map(Owner.encode) } });
  };

export const listAccountInvitations =
  ({ read_model, readPage, clock }: RouteDependencies): AccountHandler =>
  async ({ query }, { account }) => {
    const list: SortableList<InvitationView> = {
      ...{ endpoint: 'account_invitations', scope: account.id, status: null },
      all: () => listOpenInvitations(read_model, account.id, clock.now()),
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await sortedPage(readPage, query, list, Invitation.encode);
  };

export const getAccountLimits =
  ({ read_model, clock }: RouteDependencies): AccountHandler =>
  async (_request, { account }) => {
    const limits = await accountLimits(read_model, account.id, clock.now());
    return commandReply((data: readonly LimitView[]) => ({ data }))(limits);
  };

export const getAccountCredits =
  ({ read_model }: RouteDependencies): AccountHandler =>
  async (_request, { account }) =>
    commandReply(creditsResource)(await accountWithCredits(read_model, account.id));

export const getDownloads =
  ({ read_model }: RouteDependencies): AccountHandler =>
  async (_request, { account }) =>
    commandReply(Downloads.encode)(await downloadNaming(read_model, account.id));
