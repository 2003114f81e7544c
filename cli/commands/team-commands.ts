import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { TeamView } from '../../catalogue/answers.ts';
import { listMembers } from '../../catalogue/members.ts';
import { createTeam, listTeams, renameTeam, teamById } from '../../catalogue/teams.ts';
import { tableText, timeText } from '../table.ts';
import { idOption, nameArgument, nameOption, optionalId } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { membersText } from './member-commands.ts';

const teamsText = (teams: readonly TeamView[]): string =>
  tableText(
    ['id', 'name', 'account', 'created'],
    teams.map(({ id, name, account_id, created_at }) => [id, name, account_id, timeText(created_at)]),
  );
const teamText = (team: TeamView): string => teamsText([team]);

type CreateOptions = JsonOption & { account: string; name: string; id?: string };

export const teamCommands = (program: Command, context: CommandContext): void => {
  const teams = addCommandGroup(program, 'team', 'teams, which own projects and have members');
  const team = () => new Argument('<team>', 'the team');

  addCommand(teams, 'create', 'create a team in an account', ['team create --account acc_01JD… --name "Marketing"'])
    .requiredOption('--account <account>', 'the account')
    .addOption(nameOption())
    .addOption(idOption('team'))
    .action(({ account, name, id, json }: CreateOptions) => {
      const wanted = { account_id: account, name, ...optionalId(id) };
      const create = context.connection.catalogue((catalogue) => createTeam(catalogue, wanted));
      return runCommand(context, json, changeOutputOf(create, teamText));
    });

  addCommand(teams, 'list', 'list teams', ['team list', 'team list --account acc_01JD… --json'])
    .option('--account <account>', 'only teams of this account')
    .action(({ account, json }: JsonOption & { account?: string }) => {
      const list = context.connection.view(async (view) => E.right({ data: await listTeams(view, account ?? null) }));
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => teamsText(data)),
      );
    });

  addCommand(teams, 'show', 'show a team and its members', ['team show team_01JD…'])
    .addArgument(team())
    .action((id: string, { json }: JsonOption) => {
      const show = context.connection.view(async (view) => {
        const found = await teamById(view, id);
        if (E.isLeft(found)) return found;
        const members = await listMembers(view, id);
        return E.isLeft(members) ? members : E.right({ ...found.right, members: members.right });
      });
      return runCommand(
        context,
        json,
        commandOutputOf(show, ({ members, ...found }) => `${teamText(found)}\n\n${membersText(members)}`),
      );
    });

  addCommand(teams, 'rename', 'rename a team', ['team rename team_01JD… "Film"'])
    .addArgument(team())
    .addArgument(nameArgument())
    .action((id: string, name: string, { json }: JsonOption) => {
      const rename = context.connection.catalogue((catalogue) => renameTeam(catalogue, id, name));
      return runCommand(context, json, changeOutputOf(rename, teamText));
    });
};
