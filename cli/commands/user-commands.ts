import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { UserAnswer } from '../catalogue/answers.ts';
import { createUser, listUsers } from '../catalogue/users.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { answerTo, type Desk, group, leaf } from './command.ts';

const usersText = (users: readonly UserAnswer[]): string =>
  tableText(
    ['id', 'email', 'created'],
    users.map(({ id, email, created_at }) => [id, email, timeText(created_at)]),
  );

const email = (text: string): string => {
  if (!/^[^\s@]{1,200}@[^\s@]{1,200}$/.test(text))
    throw new InvalidArgumentError('It must look like name@example.org.');
  return text;
};

type CreateOptions = { email?: string; id?: string; json?: true };

export const userCommands = (program: Command, desk: Desk): void => {
  const users = group(program, 'user', 'users: people who are members of teams');

  leaf(users, 'create', 'register a user', ['user create --email ana@example.org'])
    .option('--email <address>', 'kept outside the log, so that it can be erased', email)
    .option('--id <id>', 'an id of your own, so that a command that was cut off can be repeated')
    .action(async ({ email: address, id, json }: CreateOptions) => {
      const wanted = { email: address ?? null, ...(id === undefined ? {} : { id }) };
      const create = desk.connection.catalogue((catalogue) =>
        desk.connection.blobs((blobs) => createUser(catalogue, blobs, wanted)),
      );
      await answerTo(
        desk,
        json,
        create.then((user) => answered(user, (one) => usersText([one]))),
      );
    });

  leaf(users, 'list', 'list every user', ['user list', 'user list --json']).action(
    async ({ json }: { json?: true }) => {
      const list = desk.connection.view((view) =>
        desk.connection.blobs(async (blobs) => E.right({ data: await listUsers(view, blobs) })),
      );
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => usersText(data))),
      );
    },
  );
};
