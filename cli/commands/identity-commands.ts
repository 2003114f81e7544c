import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { IdentityView } from '../../catalogue/answers.ts';
import { listIdentities, unlinkIdentity } from '../../catalogue/identities.ts';
import { tableText, timeText } from '../table.ts';
import {
  addCommand,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const identitiesText = (identities: readonly IdentityView[]): string =>
  tableText(
    ['identity', 'user', 'linked', 'unlinked'],
    identities.map(({ id, user_id, linked_at, unlinked_at }) => [
      id,
      user_id,
      timeText(linked_at),
      unlinked_at === null ? null : timeText(unlinked_at),
    ]),
  );

export const identityCommands = (users: Command, context: CommandContext): void => {
  const user = () => new Argument('<user>', 'the user');

  addCommand(users, 'identities', 'list the sign-in identities of a user, as hashes', ['user identities user_01JD…'])
    .addArgument(user())
    .action((id: string, { json }: JsonOption) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly IdentityView[]) => ({ data }))(await listIdentities(view, id)),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => identitiesText(data)),
      );
    });

  addCommand(users, 'unlink', 'remove an identity from a user; the last one cannot be removed', [
    'user unlink user_01JD… 5f0c…',
  ])
    .addArgument(user())
    .addArgument(new Argument('<identity>', 'the identity, as "user identities" lists it'))
    .action((user_id: string, identity_id: string, { json }: JsonOption) => {
      const unlink = context.connection.catalogue((catalogue) => unlinkIdentity(catalogue, { user_id, identity_id }));
      return runCommand(
        context,
        json,
        changeOutputOf(unlink, (identity) => identitiesText([identity])),
      );
    });
};
