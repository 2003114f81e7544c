import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { UserView } from '../../catalogue/answers.ts';
import { membershipsOf } from '../../catalogue/members.ts';
import { changeEmail, createUser, listUsers, userById } from '../../catalogue/users.ts';
import type { CliFault } from '../fault.ts';
import { tableText, timeText } from '../table.ts';
import { idOption, optionalId, parseEmail } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { identityCommands } from './identity-commands.ts';
import { membersText } from './member-commands.ts';

const usersText = (users: readonly UserView[]): string =>
  tableText(
    ['id', 'name', 'email', 'created'],
    users.map(({ id, name, email, created_at }) => [id, name, email, timeText(created_at)]),
  );
const userText = (user: UserView): string => usersText([user]);

/** Exactly one of the address and --none is required. */
const newEmail = (address: string | undefined, none: true | undefined): E.Either<CliFault, string | null> => {
  if ((address === undefined) !== (none === undefined)) return E.right(address ?? null);
  return E.left({ tag: 'usage', message: 'use either a new address, or --none to delete the current one' });
};

export const userCommands = (program: Command, context: CommandContext): void => {
  const users = addCommandGroup(program, 'user', 'users, who are members of teams');
  const user = () => new Argument('<user>', 'the user');

  addCommand(users, 'create', 'register a user', ['user create --email ana@example.org'])
    .option('--email <address>', 'the e-mail address; stored outside the log, so it can be erased', parseEmail)
    .addOption(idOption('user'))
    .action(({ email, id, json }: JsonOption & { email?: string; id?: string }) => {
      const wanted = { email: email ?? null, ...optionalId(id) };
      const create = context.connection.catalogue((catalogue) =>
        context.connection.blobs((blobs) => createUser(catalogue, blobs, wanted)),
      );
      return runCommand(context, json, changeOutputOf(create, userText));
    });

  addCommand(users, 'list', 'list all users', ['user list', 'user list --json']).action(({ json }: JsonOption) => {
    const list = context.connection.view((view) =>
      context.connection.blobs(async (blobs) =>
        E.map((data: readonly UserView[]) => ({ data }))(await listUsers(view, blobs)),
      ),
    );
    return runCommand(
      context,
      json,
      commandOutputOf(list, ({ data }) => usersText(data)),
    );
  });

  addCommand(users, 'show', 'show a user and their teams', ['user show user_01JD…'])
    .addArgument(user())
    .action((id: string, { json }: JsonOption) => {
      const show = context.connection.view((view) =>
        context.connection.blobs(async (blobs) => {
          const found = await userById(view, blobs, id);
          return E.isLeft(found) ? found : E.right({ ...found.right, teams: await membershipsOf(view, id) });
        }),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(show, ({ teams, ...found }) => `${userText(found)}\n\n${membersText(teams)}`),
      );
    });

  identityCommands(users, context);

  addCommand(users, 'email', 'change or delete the address of a user', [
    'user email user_01JD… ana@example.org',
    'user email user_01JD… --none',
  ])
    .addArgument(user())
    .addArgument(new Argument('[address]', 'the new address').argParser(parseEmail))
    .option('--none', 'delete the address')
    .action((id: string, address: string | undefined, { none, json }: JsonOption & { none?: true }) => {
      const email = newEmail(address, none);
      const change = E.isLeft(email)
        ? Promise.resolve(email)
        : context.connection.catalogue((catalogue) =>
            context.connection.blobs((blobs) => changeEmail(catalogue, blobs, id, email.right)),
          );
      return runCommand(context, json, changeOutputOf(change, userText));
    });
};
