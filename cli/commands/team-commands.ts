import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Role } from '../../domain/catalogue/events.ts';
import type { MemberAnswer, TeamAnswer } from '../catalogue/answers.ts';
import { addMember, createTeam, listMembers, listTeams, removeMember } from '../catalogue/teams.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { answerTo, type Desk, group, leaf, nameText } from './command.ts';

const teamsText = (teams: readonly TeamAnswer[]): string =>
  tableText(
    ['id', 'name', 'account', 'created'],
    teams.map(({ id, name, account_id, created_at }) => [id, name, account_id, timeText(created_at)]),
  );

const membersText = (members: readonly MemberAnswer[]): string =>
  tableText(
    ['user', 'role', 'team', 'joined'],
    members.map(({ user_id, role, team_id, joined_at }) => [user_id, role, team_id, timeText(joined_at)]),
  );

type CreateOptions = { account: string; name: string; id?: string; json?: true };
type AddOptions = { role: Role; json?: true };

const teamCommand = (program: Command, desk: Desk): void => {
  const teams = group(program, 'team', 'teams: they own projects; users are members of them, keys reach them');

  leaf(teams, 'create', 'create a team of an account', ['team create --account acc_01JD… --name "Marketing"'])
    .requiredOption('--account <account>', 'the account that it belongs to')
    .requiredOption('--name <name>', 'its name, 1 to 250 characters; it stands in the log for ever', nameText)
    .option('--id <id>', 'an id of your own, so that a command that was cut off can be repeated')
    .action(async ({ account, name, id, json }: CreateOptions) => {
      const wanted = { account_id: account, name, ...(id === undefined ? {} : { id }) };
      const create = desk.connection.catalogue((catalogue) => createTeam(catalogue, wanted));
      await answerTo(
        desk,
        json,
        create.then((team) => answered(team, (one) => teamsText([one]))),
      );
    });

  leaf(teams, 'list', 'list teams', ['team list', 'team list --account acc_01JD… --json'])
    .option('--account <account>', 'only those of this account')
    .action(async ({ account, json }: { account?: string; json?: true }) => {
      const list = desk.connection.view(async (view) => E.right({ data: await listTeams(view, account ?? null) }));
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => teamsText(data))),
      );
    });
};

const memberCommand = (program: Command, desk: Desk): void => {
  const members = group(program, 'member', 'members of teams, each an admin or a member');
  const who = (command: Command): Command =>
    command.addArgument(new Argument('<team>', 'the team')).addArgument(new Argument('<user>', 'the user'));

  who(leaf(members, 'add', 'make a user a member of a team', ['member add team_01JD… user_01JD… --role admin']))
    .addOption(new Option('--role <role>', 'what the user may do').choices(['admin', 'member']).default('member'))
    .action(async (team_id: string, user_id: string, { role, json }: AddOptions) => {
      const add = desk.connection.catalogue((catalogue) => addMember(catalogue, { team_id, user_id, role }));
      await answerTo(
        desk,
        json,
        add.then((member) => answered(member, (one) => membersText([one]))),
      );
    });

  who(leaf(members, 'remove', 'end a membership', ['member remove team_01JD… user_01JD…'])).action(
    async (team_id: string, user_id: string, { json }: { json?: true }) => {
      const remove = desk.connection.catalogue((catalogue) => removeMember(catalogue, { team_id, user_id }));
      const text = `${user_id} is no longer a member of ${team_id}.`;
      await answerTo(
        desk,
        json,
        remove.then((removed) => answered(removed, () => text)),
      );
    },
  );

  leaf(members, 'list', 'list the members of a team', ['member list --team team_01JD…'])
    .requiredOption('--team <team>', 'the team')
    .action(async ({ team, json }: { team: string; json?: true }) => {
      const list = desk.connection.view(async (view) => {
        const found = await listMembers(view, team);
        return E.isLeft(found) ? found : E.right({ data: found.right });
      });
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => membersText(data))),
      );
    });
};

export const teamCommands = (program: Command, desk: Desk): void => {
  teamCommand(program, desk);
  memberCommand(program, desk);
};
