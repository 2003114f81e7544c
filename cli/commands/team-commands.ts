import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { TeamView } from '../../catalogue/answers.ts';
import { listMembers } from '../../catalogue/members.ts';
import { createTeam, listTeams, renameTeam, teamById } from '../../catalogue/teams.ts';
import type { CliFault } from '../fault.ts';
import { readLogIn, writeLogIn } from '../http/log-in-file.ts';
import { type LoggedInPerson, type MyTeam, readMe, readPerson } from '../http/me.ts';
import type { PendingOutput } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { idOption, nameArgument, nameOption, optionalId } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { membersText } from './member-commands.ts';

const teamsText = (teams: readonly TeamView[]): string =>
  tableText(
    ['id', 'name', 'account', 'created'],
    teams.map(({ id, name, account_id, created_at }) => [id, name, account_id, timeText(created_at)]),
  );
const myTeamsText = (teams: readonly MyTeam[], chosen: string | null): string =>
  tableText(
    ['id', 'name', 'account', 'role', ''],
    teams.map(({ id, name, account_id, role }) => [id, name, account_id, role, id === chosen ? 'chosen' : null]),
  );
const teamText = (team: TeamView): string => teamsText([team]);

type TeamList =
  | { readonly of: 'servers'; readonly data: readonly TeamView[] }
  | { readonly of: 'person'; readonly data: readonly MyTeam[]; readonly chosen: string | null };

const teamListOutput = async (list: Promise<E.Either<CliFault, TeamList>>): PendingOutput =>
  E.map((found: TeamList) =>
    found.of === 'servers'
      ? { text: teamsText(found.data), json: { data: found.data } }
      : { text: myTeamsText(found.data, found.chosen), json: { data: found.data, chosen: found.chosen } },
  )(await list);

const chooseTeam = ({ connection }: CommandContext, id: string): Promise<E.Either<CliFault, MyTeam>> =>
  connection.session(async ({ client }) => {
    const me = await readMe(client);
    if (E.isLeft(me)) return me;
    const team = me.right.teams.find((one) => one.id === id);
    if (team === undefined) return E.left({ tag: 'not_found', what: 'team', id, list: 'renderctl team list' });
    const log_in = await readLogIn(connection.log_in_file);
    if (E.isLeft(log_in)) return log_in;
    if (log_in.right?.session === undefined) return E.left({ tag: 'session_needed', url: client.address.base_url });
    const { session } = log_in.right;
    const written = await writeLogIn(connection.log_in_file, { ...log_in.right, session: { ...session, team_id: id } });
    return E.isLeft(written) ? written : E.right(team);
  });

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

  addCommand(teams, 'list', 'list teams, with a log-in your own', ['team list', 'team list --account acc_01JD… --json'])
    .option('--account <account>', 'only teams of this account')
    .addOption(directOption())
    .action((options: JsonOption & DirectOption & { account?: string }) => {
      const list = remotelyOrDirectly<TeamList>(context, options, {
        asPerson: async (session) => {
          const ofAccount = ({ account_id }: MyTeam) => [undefined, account_id].includes(options.account);
          return E.map(
            (me: LoggedInPerson): TeamList => ({
              ...{ of: 'person', data: me.teams.filter(ofAccount), chosen: me.team_id },
            }),
          )(await readPerson(session));
        },
        directly: () =>
          context.connection.view(async (view) =>
            E.right({ of: 'servers', data: await listTeams(view, options.account ?? null) }),
          ),
      });
      return runCommand(context, options.json, teamListOutput(list));
    });

  addCommand(teams, 'use', 'choose the team that later commands use, with a log-in', ['team use team_01JD…'])
    .addArgument(team())
    .action((id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(chooseTeam(context, id), ({ name }) => `Commands now use the team "${name}".`),
      ),
    );

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
