import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { MemberView } from '../../catalogue/answers.ts';
import { addMember, changeRole, listMembers, removeMember } from '../../catalogue/members.ts';
import type { Role } from '../../domain/catalogue/events.ts';
import { tableText, timeText } from '../table.ts';
import { ROLES } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

export const membersText = (members: readonly MemberView[]): string =>
  tableText(
    ['user', 'role', 'team', 'joined'],
    members.map(({ user_id, role, team_id, joined_at }) => [user_id, role, team_id, timeText(joined_at)]),
  );
const memberText = (member: MemberView): string => membersText([member]);

export const memberCommands = (program: Command, context: CommandContext): void => {
  const members = addCommandGroup(program, 'member', 'members of teams');
  const who = (command: Command): Command =>
    command.addArgument(new Argument('<team>', 'the team')).addArgument(new Argument('<user>', 'the user'));

  who(addCommand(members, 'add', 'add a user to a team', ['member add team_01JD… user_01JD… --role admin']))
    .addOption(new Option('--role <role>', 'the role of the user').choices(ROLES).default('member'))
    .action((team_id: string, user_id: string, { role, json }: JsonOption & { role: Role }) => {
      const add = context.connection.catalogue((catalogue) => addMember(catalogue, { team_id, user_id, role }));
      return runCommand(context, json, changeOutputOf(add, memberText));
    });

  who(
    addCommand(members, 'role', 'change the role of a member; returns when the change is in effect everywhere', [
      'member role team_01JD… user_01JD… admin',
    ]),
  )
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .action((team_id: string, user_id: string, role: Role, { json }: JsonOption) => {
      const change = context.connection.catalogue((catalogue) => changeRole(catalogue, { team_id, user_id, role }));
      return runCommand(context, json, changeOutputOf(change, memberText));
    });

  who(
    addCommand(members, 'remove', 'remove a member from a team; returns when the change is in effect everywhere', [
      'member remove team_01JD… user_01JD…',
    ]),
  ).action((team_id: string, user_id: string, { json }: JsonOption) => {
    const remove = context.connection.catalogue((catalogue) => removeMember(catalogue, { team_id, user_id }));
    const text = `${user_id} is no longer a member of ${team_id}.`;
    return runCommand(
      context,
      json,
      changeOutputOf(remove, () => text),
    );
  });

  addCommand(members, 'list', 'list the members of a team', ['member list --team team_01JD…'])
    .requiredOption('--team <team>', 'the team')
    .action(({ team, json }: JsonOption & { team: string }) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly MemberView[]) => ({ data }))(await listMembers(view, team)),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => membersText(data)),
      );
    });
};
